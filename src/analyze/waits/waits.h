/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Off-CPU time by task state, system call and waker. Consumes the spans of task-states.h.
 *
 * The longest waits are kept with their chains: the waker may itself have waited for another task,
 * and so on. A wait belongs to the chain if it ended during the wait at the head; each ended during
 * the one before it. Idle kernel threads are not among the longest.
 *
 * Uses memory per task and for the result. If it is exhausted, @nomem is set, and waits are
 * missing. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WAITS_WAITS_H
#define FATHOM_ANALYZE_WAITS_WAITS_H

#include "analyze/sums/tally.h"
#include "analyze/tasks/task-states.h"

/* Maximum length of a chain. */
#define WAIT_LINKS_MAX 8

/* The waits of one task in one state and system call with one waker. */
struct wait_sums {
	uint32_t task;
	enum task_state state; /* RUNNABLE: for a CPU */
	int64_t syscall;
	struct waker waker;
	struct tally tally;
	uint64_t begun; /* others that began before the window */
	uint64_t open; /* others that had not ended at the end */
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

/* Initialize to zero, except for @max_chains, the number of chains to keep. */
struct waits {
	size_t max_chains;

	struct u64_map keys; /* task, state, call and waker -> index in @list */
	struct wait_sums *list;
	size_t n, cap;
	struct u64_map syscalls, wakers; /* small numbers for the keys */
	struct wait_chain **last; /* by task: chain of its last wait; NULL if unknown */
	size_t n_last, cap_last;
	struct wait_chain *chains; /* longest first */
	size_t n_chains, cap_chains;
	uint64_t doubtful; /* waits during which events were lost */
	bool nomem; /* waits are missing */
};

/* A task_span_taker; @data is the struct waits. */
void waits_take(void *data, const struct task_states *states, const struct task_span *span);
void waits_done(struct waits *waits);

#endif
