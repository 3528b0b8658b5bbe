/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks a compiled filter for parts that are meaningless for every format. */
#ifndef FATHOM_READ_FILTER_FILTER_CHECK_H
#define FATHOM_READ_FILTER_FILTER_CHECK_H

#include <stddef.h>

#include <fathom/err.h>

#include "read/filter/filter-ast.h"

struct filter_check {
	struct filter *filter;
	const struct event_format *const *formats;
	size_t n_formats;
	struct fathom_err *err;
};

/* Returns 0, -ENOENT for an unknown name, or -EINVAL for an impossible comparison. */
int filter_check_node(struct filter_check *check, struct filter_node *node);

#endif
