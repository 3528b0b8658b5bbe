/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct sched_task *sched_find_task(struct sched *sched, uint32_t number)
{
	if (mem_reserve(&sched->tasks, &sched->cap_tasks, number + (size_t)1,
			sizeof(*sched->tasks)) < 0) {
		sched->nomem = true;
		return NULL;
	}
	for (; sched->n_tasks <= number; sched->n_tasks++)
		sched->tasks[sched->n_tasks] = (struct sched_task){ 0 };
	return &sched->tasks[number];
}

static struct sched_cpu *sched_find_cpu(struct sched *sched, uint32_t cpu)
{
	if (mem_reserve(&sched->cpus, &sched->cap_cpus, cpu + (size_t)1, sizeof(*sched->cpus)) <
	    0) {
		sched->nomem = true;
		return NULL;
	}
	for (; sched->n_cpus <= cpu; sched->n_cpus++)
		sched->cpus[sched->n_cpus] = (struct sched_cpu){ 0 };
	return &sched->cpus[cpu];
}

static void sched_add(struct sched *sched, struct tally *tally, const struct task_span *span)
{
	if (span->quality != SPAN_WHOLE)
		tally->partial += span->end - span->start;
	else if (tally_add(tally, span->start, span->end - span->start) < 0)
		sched->nomem = true;
}

/* For runs of tasks and of the idle task. */
static void take_run(struct sched *sched, const struct task_span *span, struct sched_task *task)
{
	struct sched_cpu *cpu = sched_find_cpu(sched, span->cpu);
	bool has_time = task_span_has_time(span);

	if (!cpu)
		return;
	cpu->switches += span->next != TASK_STATE_UNKNOWN;
	cpu->doubtful += span->quality == SPAN_DOUBTFUL;
	if (!task) {
		cpu->idle += has_time ? span->end - span->start : 0;
		return;
	}
	if (span->next == TASK_STATE_RUNNABLE)
		task->preempted++;
	else if (span->next != TASK_STATE_UNKNOWN)
		task->voluntary++;
	task->migrations += span->migrated;
	cpu->migrations += span->migrated;
	if (!has_time)
		return;
	cpu->busy += span->end - span->start;
	sched_add(sched, &cpu->run, span);
	sched_add(sched, &task->run, span);
}

static void take_latency(struct sched *sched, const struct task_span *span, struct sched_task *task)
{
	struct sched_cpu *cpu;

	if (!task_span_has_time(span))
		return;
	sched_add(sched, &task->latency, span);
	/* The CPU on which it will run is not known yet. */
	cpu = span->at_end ? NULL : sched_find_cpu(sched, span->cpu);
	if (cpu)
		sched_add(sched, &cpu->latency, span);
}

/* Takes back a preemption that turns out to be none. */
static void sched_take_back(struct sched_task *task, const struct task_span *span)
{
	if (!span->was_ready || !task->preempted)
		return;
	task->preempted--;
	task->voluntary++;
}

void sched_take(void *data, const struct task_states *states, const struct task_span *span)
{
	struct sched *sched = data;
	struct sched_task *task = NULL;

	if (span->unwanted)
		return;
	if (span->task != TASK_NONE) {
		task = sched_find_task(sched, span->task);
		if (!task)
			return;
		task->cut += span->quality == SPAN_CUT || span->quality == SPAN_CLIPPED;
		task->doubtful += span->quality == SPAN_DOUBTFUL;
		sched->doubtful += span->quality == SPAN_DOUBTFUL;
	}
	if (task)
		sched_take_back(task, span);
	if (span->state == TASK_STATE_RUNNING)
		take_run(sched, span, task);
	else if (task && span->state == TASK_STATE_RUNNABLE)
		take_latency(sched, span, task);
	else if (task && task_span_has_time(span))
		task->asleep[span->state] += span->end - span->start;
}

void sched_done(struct sched *sched)
{
	for (size_t i = 0; i < sched->n_tasks; i++) {
		tally_done(&sched->tasks[i].run);
		tally_done(&sched->tasks[i].latency);
	}
	for (size_t i = 0; i < sched->n_cpus; i++) {
		tally_done(&sched->cpus[i].run);
		tally_done(&sched->cpus[i].latency);
	}
	free(sched->tasks);
	free(sched->cpus);
	memset(sched, 0, sizeof(*sched));
}
