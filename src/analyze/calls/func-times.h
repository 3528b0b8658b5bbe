/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When functions were called first, last, and for longest; and all about one of them. Beside
 * an account of calls, which adds up the rest.
 */
#ifndef FATHOM_ANALYZE_CALLS_FUNC_TIMES_H
#define FATHOM_ANALYZE_CALLS_FUNC_TIMES_H

#include "analyze/calls/func-table.h"
#include "analyze/sums/latency.h"

struct func_time {
	bool seen; /* else all is 0 */
	bool is_focus;
	uint64_t first, last; /* when the first and the last call began */
	struct instance slowest;
};

/* Zero-initialised is empty. */
struct func_times {
	const char *focus; /* the function that @latency is about; NULL: none */
	struct latency latency;
	struct func_time *list; /* by number of the function */
	size_t n, cap;
	bool nomem; /* something is missing */
};

/* A call of function number @func of @funcs has ended. */
void func_times_add(struct func_times *times, const struct func_table *funcs, uint32_t func,
		    const struct instance *instance);
void func_times_done(struct func_times *times);

#endif
