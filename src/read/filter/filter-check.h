/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds what in a compiled filter has no meaning for any of the formats. */
#ifndef FATHOM_READ_FILTER_FILTER_CHECK_H
#define FATHOM_READ_FILTER_FILTER_CHECK_H

#include "read/filter/filter-compile.h"

struct filter_check {
	struct filter *filter;
	const struct event_format *const *formats;
	size_t n_formats;
	struct fathom_err *err;
};

/* 0, -ENOENT for a name that nothing has, -EINVAL for a comparison that cannot be made. */
int filter_check_node(struct filter_check *check, struct filter_node *node);

#endif
