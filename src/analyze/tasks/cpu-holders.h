/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tasks that occupied CPUs while others were runnable. Each wait for a CPU is charged to the
 * task that left the CPU when the wait ended: earlier switches are missing from recordings that are
 * limited to some tasks. The tasks of the recorder, if the recording says which these are, count as
 * one.
 *
 * Times are in ns. cpu_holders_done() frees the list and leaves an empty object. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_TASKS_CPU_HOLDERS_H
#define FATHOM_ANALYZE_TASKS_CPU_HOLDERS_H

#include "analyze/tasks/task-states.h"
#include "base/u64-map.h"
#include "read/context/followed.h"

struct cpu_holder {
	int32_t pid; /* 0: the CPU was idle */
	bool recorder; /* a task of the recorder; @pid is one of them */
	char name[TASK_NAME_SIZE]; /* last known; "" if unknown */
	uint64_t time; /* time that others waited */
};

/* Empty when zero-initialized. */
struct cpu_holders {
	const struct followed
		*followed; /* owned by the caller: knows the tasks of the recorder; NULL: unknown */
	struct u64_map places; /* pid -> index in @list */
	struct cpu_holder *list;
	size_t n, cap;
	bool nomem; /* some are missing */
};

/* @decoded is the switch to a task that was runnable for @time. */
void cpu_holders_add(struct cpu_holders *holders, const struct decoded_event *decoded,
		     uint64_t time);
/* Sorts the list by time, longest first. Returns 0, or -ENOMEM if some holders are missing. */
int cpu_holders_finish(struct cpu_holders *holders);
void cpu_holders_done(struct cpu_holders *holders);

#endif
