/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which function, deepest inside, made a system call fail: the way of an error from where it
 * arose up to the program.
 *
 * To be fed with calls that have results (see decoded-event.h). Of a call that has ended only what
 * can still become a part of the answer is kept: where it ended with an error, the way on which
 * that came. So memory is bounded by how deep calls are, not by how many there are. An
 * error that a function kept to itself (it returned something else, or tried again) is dropped
 * there. A function whose result is not known hands on what came out of those it called. A
 * question ("has the task this capability?") is not the cause: who makes an error of the
 * answer is.
 *
 * It keeps a stack of its own: the one in calls.h comes with a tree of all calls, which grows with the
 * trace. What decides where an event belongs is shared: calls/open-calls.h, stream/gaps.h and
 * stream/task-key.h.
 */
#ifndef FATHOM_ANALYZE_WHY_BLAME_H
#define FATHOM_ANALYZE_WHY_BLAME_H

#include "analyze/calls/func-table.h"
#include "analyze/stream/gaps.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/why/meanings.h"

#define BLAME_CHECKS 6 /* checks that are remembered of a function */

/* A check, which does not decide by itself: what its answer leads to is the caller's choice. */
struct blame_check {
	uint32_t func;
	int refused; /* the error that it stands for, positive; 0: it had nothing against it */
	int capability; /* that was asked for; -1: none */
};

/* A function on the way of an error. */
struct blame_step {
	uint32_t func; /* in the table */
	int error; /* that it returned, positive */
	uint64_t tag; /* see blame_tag() */
	bool is_check; /* it is a check, and nobody was seen to make an error of its answer */
	unsigned n_checks;
	struct blame_check
		checks[BLAME_CHECKS]; /* before, by functions that it called; the last ones */
	struct blame_step *inner; /* from which it has it; NULL: it is the one that decided */
};

struct blame_task;

/* Zero-initialised with @funcs.kallsyms and @meanings set. */
struct blame {
	const struct meanings *meanings; /* NULL: none */
	struct func_table funcs;
	struct blame_func *known; /* what the rules say of them */
	size_t n_known, cap_known;
	struct u64_map keys; /* places in @tasks, by task_key() */
	struct blame_task *tasks;
	size_t n_tasks, cap_tasks;
	struct blame_step *unused;
	struct gaps gaps;
	bool has_results; /* a function with a return value was seen */
	bool nomem; /* something is missing */
};

void blame_feed(struct blame *blame, const struct decoded_event *decoded);
/*
 * How the error (positive) of the system call came up that @pid is in, or returns from right now: to be
 * asked before its end is fed. The outermost function first; NULL: nobody was seen to return it.
 * It is good until the next feed.
 */
const struct blame_step *blame_find(struct blame *blame, int32_t pid, int error);
/*
 * The same for an error that is an answer in a message, while the task is still in the system call: the call itself
 * succeeds. @tag: of steps with this tag only. Nothing is taken for settled by it.
 */
const struct blame_step *blame_peek(const struct blame *blame, int32_t pid, int error,
				    uint64_t tag);
/* What follows in the system call that @pid is in belongs to @tag, as one of several requests; 0: to the call. */
void blame_tag(struct blame *blame, int32_t pid, uint64_t tag);
void blame_done(struct blame *blame);

#endif
