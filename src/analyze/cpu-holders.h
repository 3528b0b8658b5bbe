/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who had the CPU when tasks could run and had to wait: of each such time, the task that the CPU went on from when it
 * was over. What was on it before that is not in a recording of some tasks.
 *
 * Only tasks count that do something in the recording. Memory is that of the tasks.
 */
#ifndef FATHOM_ANALYZE_CPU_HOLDERS_H
#define FATHOM_ANALYZE_CPU_HOLDERS_H

#include "analyze/task-states.h"
#include "base/u64-map.h"

struct cpu_holder {
	int32_t pid; /* 0: the CPU was idle */
	char name[TASK_NAME_SIZE]; /* "": not known */
	uint64_t time; /* that others have waited */
};

struct cpu_holders_task;

/* Zero-initialised is empty. */
struct cpu_holders {
	struct u64_map pids; /* places in @tasks */
	struct cpu_holders_task *tasks;
	size_t n_tasks, cap_tasks;
	struct u64_map places; /* of holders, by pid */
	struct cpu_holder *list;
	size_t n, cap;
	bool nomem; /* something is missing */
};

/* To be fed with all happenings, in the order of time. */
void cpu_holders_feed(struct cpu_holders *holders, const struct happening *happening);
/* Those for which was waited longest come first. -ENOMEM when something is missing, else 0. */
int cpu_holders_finish(struct cpu_holders *holders);
void cpu_holders_done(struct cpu_holders *holders);
/* Is it a task of the recorder, which is no part of what is recorded? */
bool cpu_holder_is_recorder(const struct cpu_holder *holder);

#endif
