/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of programs in the graph of calls: they are outside of all that the kernel does for
 * their task. Events of their beginnings and ends (see symbols/probe/probed-functions.h) become a CALL and a
 * RETURN for all analyses, and the depth of the kernel's functions is counted from the innermost of
 * them.
 *
 * What tells of them is a trap, in which functions of the kernel are open that have nothing to do
 * with the function: so it begins, or ends, when the task goes back to its program. A call that is
 * left by longjmp() is over when a function begins further up the stack; one that begins exactly where it
 * was is taken for one that it has called in the place of its own end, and contained in it. A child that is forked is in the functions that its
 * parent was in, which are no calls of its own. A new program is in none, and neither is a task of
 * which nothing has been seen. Where events were lost, what is open stays so until it is proved wrong,
 * and struct calls knows that it is in doubt.
 *
 * Without functions of programs in the trace all is handed on as it is.
 */
#ifndef FATHOM_ANALYZE_STREAM_USER_CALLS_H
#define FATHOM_ANALYZE_STREAM_USER_CALLS_H

#include "analyze/stream/decoded-event.h"
#include "analyze/stream/gaps.h"
#include "base/u64-map.h"

struct user_task;

/* Zero-initialised is empty. */
struct user_calls {
	const struct probed_functions *users; /* of the trace; NULL: there are none */
	struct u64_map pids; /* places in @tasks */
	struct user_task *tasks;
	size_t n, cap;
	struct gaps gaps;
	bool nomem; /* something is missing */
};

typedef void user_calls_taker(void *data, const struct decoded_event *decoded);

/* Hands on what @decoded means: itself, perhaps changed, and calls before and behind it. */
void user_calls_feed(struct user_calls *calls, struct decoded_event *decoded,
		     user_calls_taker *take, void *data);
void user_calls_done(struct user_calls *calls);

#endif
