/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who had the CPU when tasks could run and had to wait: of each such time, the task that the CPU went on from when it
 * was over. What was on it before that is not in a recording of some tasks.
 *
 * The tasks of the recorder are one, where the recording tells which they are.
 */
#ifndef FATHOM_ANALYZE_TASKS_CPU_HOLDERS_H
#define FATHOM_ANALYZE_TASKS_CPU_HOLDERS_H

#include "analyze/tasks/task-states.h"
#include "base/u64-map.h"
#include "read/context/followed.h"

struct cpu_holder {
	int32_t pid; /* 0: the CPU was idle */
	bool recorder; /* any of its tasks; the pid is that of one of them */
	char name[TASK_NAME_SIZE]; /* "": not known */
	uint64_t time; /* that others have waited */
};

/* Zero-initialised is empty. */
struct cpu_holders {
	const struct followed
		*followed; /* by the caller: knows the tasks of the recorder; NULL: nobody does */
	struct u64_map places; /* of holders, by pid */
	struct cpu_holder *list;
	size_t n, cap;
	bool nomem; /* something is missing */
};

/* A task that could run for @time runs, by this switch. */
void cpu_holders_add(struct cpu_holders *holders, const struct decoded_event *decoded,
		     uint64_t time);
/* Those for which was waited longest come first. -ENOMEM when something is missing, else 0. */
int cpu_holders_finish(struct cpu_holders *holders);
void cpu_holders_done(struct cpu_holders *holders);

#endif
