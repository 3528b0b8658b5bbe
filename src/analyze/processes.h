/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tasks that were started, what they ran, and how they ended: from the events task_newtask,
 * sched_process_exec and sched_process_exit, and the system calls execve and exit_group.
 */
#ifndef FATHOM_ANALYZE_PROCESSES_H
#define FATHOM_ANALYZE_PROCESSES_H

#include "analyze/happening.h"
#include "base/u64-map.h"

/* More tasks are not told apart. */
#define PROCESSES_MAX ((size_t)1 << 20)
#define PROCESS_RUNS  (-1) /* it did not end, or not by exit_group() */

struct process {
	int32_t pid;
	int32_t parent; /* 0: it was there before, or nobody knows */
	bool thread; /* of its parent */
	const char *program; /* what it executed last; NULL: what its parent did */
	uint64_t started, ended; /* 0: not seen */
	int64_t code; /* with which it ended; PROCESS_RUNS */
	int32_t signals; /* that were delivered to it */
	int32_t last_signal;
};

/* Zero-initialised is empty. */
struct processes {
	struct u64_map pids; /* places in @list */
	struct process *list; /* in the order in which they came */
	size_t n, cap;
	struct arena arena;
	bool nomem;
};

/* To be fed with all happenings, in the order of time. */
void processes_feed(struct processes *processes, const struct happening *happening);
/* NULL when nothing was seen of it. */
const struct process *processes_find(const struct processes *processes, int32_t pid);
void processes_done(struct processes *processes);

#endif
