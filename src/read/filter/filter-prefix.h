/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events in front of a filter, as trace-cmd writes them. */
#ifndef FATHOM_READ_FILTER_FILTER_PREFIX_H
#define FATHOM_READ_FILTER_FILTER_PREFIX_H

#include "read/filter/filter-ast.h"

/* NULL without memory. */
struct filter_pattern *filter_pattern_new(struct arena *arena, const char *system, const char *name,
					  uint32_t offset, uint32_t len);
/*
 * Reads "EVENTS:" into the filter, if its text begins so, and says where the condition
 * begins; otherwise leaves *@ret_at alone. 0 or a negative errno.
 */
int filter_prefix_parse(struct filter *filter, size_t *ret_at, struct fathom_err *err);

#endif
