/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an entry or an exit of function_graph means for the open calls of its task. Shared by those who keep a
 * stack of calls of their own because what they keep of a call differs: times and a tree (calls.h), or the
 * errors on their way up (analyze/why/blame.h), which has to do without the tree to stay small.
 */
#ifndef FATHOM_ANALYZE_CALLS_OPEN_CALLS_H
#define FATHOM_ANALYZE_CALLS_OPEN_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/calls/func-table.h"

/* The open calls of a task. */
struct open_calls {
	size_t n;
	uint32_t innermost; /* its function; FUNC_NONE: its entry was not seen */
	bool may_return; /* the innermost one: no gap, no interrupt, no function of a program */
};

/* An entry or an exit. */
struct call_edge {
	uint32_t func;
	int level; /* by the event */
	bool is_interrupt; /* @func is where interrupts come in */
	bool is_exit;
};

/*
 * The level of the entry or exit. The kernel takes a call for over a moment before it writes the event of its exit:
 * what an interrupt does in between is recorded one level further out, as if beside the call. *@returning is kept
 * per task: so many calls are open, and the innermost of them is about to return; 0: not known.
 */
static inline int open_calls_level(const struct open_calls *open, const struct call_edge *edge,
				   size_t *returning)
{
	if (!*returning && !edge->is_exit && edge->is_interrupt && open->n &&
	    (size_t)edge->level == open->n - 1 && open->innermost != FUNC_NONE && open->may_return)
		*returning = open->n;
	if (!*returning)
		return edge->level;
	if ((size_t)edge->level + 1 < *returning ||
	    (edge->is_exit && open->n == *returning && open->innermost == edge->func)) {
		*returning = 0;
		return edge->level;
	}
	return edge->level + 1;
}

/*
 * Is an exit from @func, entered at @start, that of an open call of the function @open? @gap: the last event of the task
 * before some were lost while it was open; then it may be that of a later one. 0: none were.
 */
static inline bool open_call_ends(uint32_t open, uint64_t gap, uint32_t func, uint64_t start)
{
	return open == func && (!gap || start <= gap);
}

#endif
