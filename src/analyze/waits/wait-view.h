/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits as a tree: tasks, what they waited in, and who ended that. */
#ifndef FATHOM_ANALYZE_WAITS_WAIT_VIEW_H
#define FATHOM_ANALYZE_WAITS_WAIT_VIEW_H

#include "analyze/waits/waits.h"

/* WAIT_ORDERS has a word for each, in the same order. */
#define WAIT_ORDERS "total count max name"
enum wait_order {
	WAITS_BY_TOTAL,
	WAITS_BY_COUNT,
	WAITS_BY_MAX,
	WAITS_BY_NAME, /* of tasks; inside of them by total */
};

/* The waits of a task in one state and system call. */
struct wait_group {
	const struct wait_sums *const *sums; /* by waker; the first tells state and call */
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

/* Zero-initialised is empty. */
struct wait_view {
	const struct wait_sums **sums;
	struct wait_group *groups;
	size_t n_groups;
	struct wait_task *tasks;
	size_t n_tasks;
};

/* Both must outlive the view. 0 or -ENOMEM. */
int wait_view_init(struct wait_view *view, const struct waits *waits,
		   const struct task_states *states, enum wait_order order);
void wait_view_done(struct wait_view *view);

#endif
