/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the innermost function that returned a system call's error, and the call chain through
 * which the error propagated.
 *
 * Needs calls with results (see decoded-event.h). When a call returns, only the chain of its error
 * is kept, if it failed, so memory is bounded by call depth rather than by the number of calls. An
 * error that a function handles (it returns something else, or tries again) is dropped there. A
 * function without a recorded result passes on the errors of its callees. A check ("does the task
 * have this capability?") is not the cause; the function that turns its answer into an error is.
 *
 * Maintains its own call stack, because the one in calls.h comes with a tree of all calls, which
 * grows with the trace. The rules that place an event are shared: open-calls.h, gaps.h and
 * task-key.h.
 *
 * If memory is exhausted, @nomem is set, and errors are missing. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WHY_BLAME_H
#define FATHOM_ANALYZE_WHY_BLAME_H

#include "analyze/calls/func-table.h"
#include "analyze/stream/gaps.h"
#include "analyze/stream/decoded-event.h"

struct meanings;

#define BLAME_CHECKS 6 /* number of latest checks kept per function */

/* A check. It does not decide by itself; its caller acts on the answer. */
struct blame_check {
	uint32_t func;
	int refused; /* the error that it implies, positive; 0: it did not refuse */
	int capability; /* that was checked; -1: none */
};

/* A function that returned the error. */
struct blame_step {
	uint32_t func; /* number in struct blame.funcs */
	int error; /* that it returned, positive */
	uint64_t tag; /* see blame_tag() */
	bool is_check; /* a check whose answer no recorded function turned into an error */
	unsigned n_checks;
	struct blame_check checks[BLAME_CHECKS]; /* latest checks by its callees, before the error */
	/* The callee from which the error came; NULL: this function decided. */
	struct blame_step *inner;
};

struct blame_task;

/* Initialize to zero, except for @funcs.kallsyms and @meanings, which must outlive it. */
struct blame {
	const struct meanings *meanings; /* NULL: none */
	struct func_table funcs;
	struct blame_func *known; /* rules that apply to each function */
	size_t n_known, cap_known;
	struct u64_map keys; /* task_key() -> index in @tasks */
	struct blame_task *tasks;
	size_t n_tasks, cap_tasks;
	struct blame_step *unused;
	struct gaps gaps;
	bool has_results; /* a function result was recorded */
	bool nomem; /* errors are missing */
};

void blame_feed(struct blame *blame, const struct decoded_event *decoded);
/*
 * Returns how the error (positive) of the current system call of @pid propagated, outermost
 * function first. Call before feeding the exit. NULL if no function was seen to return it. Valid
 * until the next blame_feed().
 */
const struct blame_step *blame_find(struct blame *blame, int32_t pid, int error);
/*
 * The same for an error reported in a message while the task is still inside the system call,
 * which itself succeeds. Only steps with @tag match. Changes nothing.
 */
const struct blame_step *blame_peek(const struct blame *blame, int32_t pid, int error,
				    uint64_t tag);
/*
 * Attributes subsequent events in the current system call of @pid to the request @tag; 0: to the
 * call itself.
 */
void blame_tag(struct blame *blame, int32_t pid, uint64_t tag);
void blame_done(struct blame *blame);

#endif
