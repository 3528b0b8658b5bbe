/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events before a filter's colon, in trace-cmd's syntax. */
#ifndef FATHOM_READ_FILTER_FILTER_PREFIX_H
#define FATHOM_READ_FILTER_FILTER_PREFIX_H

#include "read/filter/filter-ast.h"

/* Allocates a pattern in @arena. Returns NULL if memory is exhausted. */
struct filter_pattern *filter_pattern_new(struct arena *arena, const char *system, const char *name,
					  uint32_t offset, uint32_t len);
/*
 * If the text begins with "EVENTS:", parses that and stores the offset of the condition in
 * *@ret_at; otherwise leaves it unchanged. Returns 0 or a negative errno.
 */
int filter_prefix_parse(struct filter *filter, size_t *ret_at, struct fathom_err *err);

#endif
