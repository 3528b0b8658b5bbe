/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scheduling statistics: how long tasks ran and in what slices, how long they waited for a CPU, how
 * often they left voluntarily or were preempted, and how often they migrated. Consumes the spans of
 * task-states.h.
 *
 * Uses memory per task and CPU; if it is exhausted, @nomem is set. Times are in ns. Not
 * thread-safe.
 */
#ifndef FATHOM_ANALYZE_WAITS_SCHED_H
#define FATHOM_ANALYZE_WAITS_SCHED_H

#include "analyze/sums/tally.h"
#include "analyze/tasks/task-states.h"

/* Tallies count whole spans, and the time of partial ones separately. */
struct sched_task {
	struct tally run; /* slices */
	struct tally latency; /* from wakeup or preemption to the next run */
	uint64_t asleep[TASK_STATES]; /* by waiting state */
	uint64_t voluntary, preempted; /* reasons for leaving a CPU */
	uint64_t migrations; /* runs on another CPU than the previous one */
	uint64_t cut; /* spans that are not whole */
	uint64_t doubtful; /* spans without a time */
};

struct sched_cpu {
	uint64_t busy, idle;
	uint64_t switches; /* between any tasks, including the idle one */
	struct tally run; /* slices of tasks */
	struct tally latency; /* of tasks that ran here next */
	uint64_t migrations; /* to this CPU */
	uint64_t doubtful;
};

/* Empty when zero-initialized. */
struct sched {
	struct sched_task *tasks; /* by task number */
	size_t n_tasks, cap_tasks;
	struct sched_cpu *cpus;
	size_t n_cpus, cap_cpus;
	uint64_t doubtful; /* spans of all tasks */
	bool nomem; /* spans are missing */
};

/* A task_span_taker; @data is the struct sched. */
void sched_take(void *data, const struct task_states *states, const struct task_span *span);
void sched_done(struct sched *sched);

#endif
