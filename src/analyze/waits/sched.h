/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How tasks got CPUs: how long they ran and in which slices, how long they waited for a CPU,
 * how often they went by themselves or were preempted, how often they moved. A taker of the
 * spans of task-states.h.
 */
#ifndef FATHOM_ANALYZE_WAITS_SCHED_H
#define FATHOM_ANALYZE_WAITS_SCHED_H

#include "analyze/sums/tally.h"
#include "analyze/tasks/task-states.h"

/* In tallies are those that are whole, and the time of parts of others. */
struct sched_task {
	struct tally run; /* slices */
	struct tally latency; /* woken or preempted until it ran */
	uint64_t asleep[TASK_STATES]; /* time in the states in which it waits for something */
	uint64_t voluntary, preempted; /* how it went off CPUs */
	uint64_t migrations; /* runs on another CPU than the one before */
	uint64_t cut; /* spans that are not whole */
	uint64_t doubtful; /* spans that have no time */
};

struct sched_cpu {
	uint64_t busy, idle;
	uint64_t switches; /* from any task to any other */
	struct tally run; /* slices of tasks */
	struct tally latency; /* of those who ran here then */
	uint64_t migrations; /* to here */
	uint64_t doubtful;
};

/* Zero-initialised is empty. */
struct sched {
	struct sched_task *tasks; /* by their number */
	size_t n_tasks, cap_tasks;
	struct sched_cpu *cpus;
	size_t n_cpus, cap_cpus;
	uint64_t doubtful; /* spans of tasks, in all */
	bool nomem; /* something is missing */
};

/* A task_span_taker; @data is the struct sched. */
void sched_take(void *data, const struct task_states *states, const struct task_span *span);
void sched_done(struct sched *sched);

#endif
