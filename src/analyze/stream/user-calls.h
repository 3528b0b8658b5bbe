/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes user functions part of the call graph, around the kernel activity of their task. Entry and
 * exit events (see symbols/probe/probed-functions.h) become a CALL and a RETURN for all analyses,
 * and the depth of kernel functions is counted from the innermost user function.
 *
 * These events are recorded in a trap, inside kernel functions that are unrelated to the user
 * function; so the call begins, or ends, when the task returns to user mode. A function left by
 * longjmp() ends when another one begins further up the stack. One that begins with the stack
 * pointer of an open one is treated as its tail call, and nested in it. A forked child inherits the
 * open functions of its parent, but these are not new calls. After exec, and in a task that has not
 * been seen before, no functions are open. After lost events, open functions stay open until an
 * event contradicts that; struct calls treats them as uncertain.
 *
 * Traces without user functions are passed through unchanged. If memory is exhausted, @nomem is
 * set, and calls may be missing. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_USER_CALLS_H
#define FATHOM_ANALYZE_STREAM_USER_CALLS_H

#include "analyze/stream/decoded-event.h"
#include "analyze/stream/gaps.h"
#include "base/u64-map.h"

struct user_task;

/* Initialize to zero, except for @users. */
struct user_calls {
	const struct probed_functions *users; /* of the trace, which outlives it; NULL: none */
	struct u64_map pids; /* pid -> index in @tasks */
	struct user_task *tasks;
	size_t n, cap;
	struct gaps gaps;
	bool nomem; /* calls are missing */
};

typedef void user_calls_taker(void *data, const struct decoded_event *decoded);

/*
 * Passes on @decoded, possibly modified, with the calls derived from it before and after it. These
 * calls are valid until @take returns.
 */
void user_calls_feed(struct user_calls *calls, struct decoded_event *decoded,
		     user_calls_taker *take, void *data);
void user_calls_done(struct user_calls *calls);

#endif
