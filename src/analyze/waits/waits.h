/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where and why tasks waited: what they waited in (a state, a system call), and who ended that.
 * A taker of the spans of task-states.h.
 *
 * The longest waits are kept with their chains: the task that ended a wait may itself have waited
 * for another meanwhile, and that one too. A link belongs to a chain when it ended
 * during the wait at the head, as each ended during the one before. Threads of the kernel that
 * had nothing to do are not among the longest. Memory is that of the tasks and of the result.
 */
#ifndef FATHOM_ANALYZE_WAITS_WAITS_H
#define FATHOM_ANALYZE_WAITS_WAITS_H

#include "analyze/sums/tally.h"
#include "analyze/tasks/task-states.h"

/* Links of a chain that are kept. */
#define WAIT_LINKS_MAX 8

/* Waits of one task, of one kind, with one end. */
struct wait_sums {
	uint32_t task;
	enum task_state state; /* RUNNABLE: for a CPU */
	int64_t syscall;
	struct waker waker;
	struct tally tally;
	uint64_t begun; /* more that had begun before the window */
	uint64_t open; /* more that were not over at the end */
};

struct wait_link {
	uint32_t task;
	enum task_state state;
	int64_t syscall;
	struct waker waker;
	uint64_t start, end;
};

struct wait_chain {
	size_t n;
	struct wait_link links[WAIT_LINKS_MAX]; /* each was ended by the task of the next one */
};

/* Zero-initialised, with @max_chains set to how many are to be kept, is empty. */
struct waits {
	size_t max_chains;

	struct u64_map keys; /* places in @list */
	struct wait_sums *list;
	size_t n, cap;
	struct u64_map syscalls, wakers; /* small numbers for them */
	struct wait_chain **last; /* by task: how its last wait came to its end; NULL: not known */
	size_t n_last, cap_last;
	struct wait_chain *chains; /* the longest first */
	size_t n_chains, cap_chains;
	uint64_t doubtful; /* waits during which events were lost */
	bool nomem; /* something is missing */
};

/* A task_span_taker; @data is the struct waits. */
void waits_take(void *data, const struct task_states *states, const struct task_span *span);
void waits_done(struct waits *waits);

#endif
