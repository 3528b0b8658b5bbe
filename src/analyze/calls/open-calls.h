/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How function_graph's events relate to the open calls of a task. Shared by the two analyses that
 * maintain call stacks: calls.h keeps times and a tree, analyze/why/blame.h only errors as they
 * propagate, so that it stays small.
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
	/* Function of the innermost one; FUNC_NONE: its entry was not recorded. */
	uint32_t innermost;
	/* The innermost one has no gap, and is neither an interrupt nor a user function. */
	bool may_return;
};

/* An entry or an exit. */
struct call_edge {
	uint32_t func;
	int level; /* depth according to the event */
	bool is_interrupt; /* @func is the entry of an interrupt */
	bool is_exit;
};

/*
 * Returns the level of an entry or exit. For the kernel, a call ends shortly before it writes the
 * exit event: an interrupt in between is recorded one level further out, as if it came after the
 * call. *@returning, kept per task, is the number of open calls when the innermost one is about to
 * return, or 0 if unknown.
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
 * Returns whether an exit from @func, entered at @start, is that of an open call of the function
 * @open. @gap is the time of the task's last event before a gap in the open call, after which the
 * exit may be that of a later call; 0: no gap.
 */
static inline bool open_call_ends(uint32_t open, uint64_t gap, uint32_t func, uint64_t start)
{
	return open == func && (!gap || start <= gap);
}

#endif
