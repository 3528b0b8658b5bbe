/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Times of the first, last and longest call of each function, and statistics of one function:
 * supplements struct calls, whose callback ended() feeds it. Times are in ns. func_times_done()
 * frees everything and leaves an empty object. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_FUNC_TIMES_H
#define FATHOM_ANALYZE_CALLS_FUNC_TIMES_H

#include "analyze/calls/func-table.h"
#include "analyze/sums/latency.h"

struct func_time {
	bool seen; /* otherwise all members are 0 */
	bool is_focus;
	uint64_t first, last; /* earliest and latest entry */
	struct instance slowest;
};

/* Empty when zero-initialized. */
struct func_times {
	const char *focus; /* name of the function that @latency describes; NULL: none */
	struct latency latency;
	struct func_time *list; /* by function number */
	size_t n, cap;
	bool nomem; /* times are missing */
};

/* Adds a complete call of function number @func of @funcs. If memory is exhausted, sets @nomem. */
void func_times_add(struct func_times *times, const struct func_table *funcs, uint32_t func,
		    const struct instance *instance);
void func_times_done(struct func_times *times);

#endif
