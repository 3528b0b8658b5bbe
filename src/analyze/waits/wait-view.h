/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Off-CPU time as a tree: tasks, what they waited in, and what woke them. Times are in ns. Not
 * thread-safe.
 */
#ifndef FATHOM_ANALYZE_WAITS_WAIT_VIEW_H
#define FATHOM_ANALYZE_WAITS_WAIT_VIEW_H

#include "analyze/waits/waits.h"

/* The words for these, in the same order. */
#define WAIT_ORDERS "total count max name"
enum wait_order {
	WAITS_BY_TOTAL,
	WAITS_BY_COUNT,
	WAITS_BY_MAX,
	WAITS_BY_NAME, /* tasks by name, their waits by total */
};

/* The waits of a task in one state and system call. */
struct wait_group {
	const struct wait_sums *const *sums; /* by waker; state and call are those of the first */
	size_t n;
	struct tally tally;
	uint64_t begun, open;
};

struct wait_task {
	uint32_t task;
	const struct wait_group *groups;
	size_t n;
	struct tally tally;
	uint64_t begun, open;
};

/* Empty when zero-initialized. */
struct wait_view {
	const struct wait_sums **sums;
	struct wait_group *groups;
	size_t n_groups;
	struct wait_task *tasks;
	size_t n_tasks;
};

/*
 * @waits and @states must outlive the view. Returns 0 or -ENOMEM; call wait_view_done() in either
 * case.
 */
int wait_view_init(struct wait_view *view, const struct waits *waits,
		   const struct task_states *states, enum wait_order order);
void wait_view_done(struct wait_view *view);

#endif
