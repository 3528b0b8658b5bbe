/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/cpu-holders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/str.h"

#define RECORDER "fathom"

struct cpu_holders_task {
	bool acts; /* it did something */
	bool can_run; /* since @since, and does not */
	uint64_t since;
};

static struct cpu_holders_task *get_task(struct cpu_holders *holders, int32_t pid)
{
	struct cpu_holders_task *task =
		u64_map_element(&holders->pids, (uint32_t)pid, &holders->tasks, &holders->n_tasks,
				&holders->cap_tasks, sizeof(*holders->tasks));

	if (!task)
		holders->nomem = true;
	return task;
}

static void add(struct cpu_holders *holders, int32_t pid, const struct happening_name *name,
		uint64_t time)
{
	struct cpu_holder *holder = u64_map_element(&holders->places, (uint32_t)pid, &holders->list,
						    &holders->n, &holders->cap,
						    sizeof(*holders->list));
	size_t len = name->len < sizeof(holder->name) ? name->len : sizeof(holder->name) - 1;

	if (!holder) {
		holders->nomem = true;
		return;
	}
	holder->pid = pid;
	holder->time += time;
	if (!name->s)
		return;
	len = strnlen(name->s, len);
	memcpy(holder->name, name->s, len);
	holder->name[len] = '\0';
}

static void feed_switch(struct cpu_holders *holders, const struct happening *happening)
{
	uint64_t time = happening->event->time;
	int32_t prev = happening->sched.prev_pid, next = happening->sched.next_pid;
	struct cpu_holders_task *task = next ? get_task(holders, next) : NULL;

	if (task && task->can_run && task->acts && time > task->since)
		add(holders, prev, &happening->sched.prev_name, time - task->since);
	if (task)
		task->can_run = false;
	task = prev ? get_task(holders, prev) : NULL;
	if (!task)
		return;
	task->can_run = happening->sched.prev == TASK_STATE_RUNNABLE;
	task->since = time;
}

void cpu_holders_feed(struct cpu_holders *holders, const struct happening *happening)
{
	struct cpu_holders_task *task;

	switch (happening->kind) {
	case HAPPENING_SWITCH:
		feed_switch(holders, happening);
		break;
	case HAPPENING_WAKING:
	case HAPPENING_WAKEUP_NEW:
		task = get_task(holders, happening->task.pid);
		if (task && !task->can_run) {
			task->can_run = true;
			task->since = happening->event->time;
		}
		break;
	case HAPPENING_CALL:
	case HAPPENING_SYSCALL_ENTRY:
	case HAPPENING_SYSCALL_EXIT:
		task = happening->event->pid > 0 ? get_task(holders, happening->event->pid) : NULL;
		if (task) {
			task->acts = true;
			/* What acts is on a CPU. */
			task->can_run = false;
		}
		break;
	default:
		break;
	}
}

static int compare(const void *pa, const void *pb)
{
	const struct cpu_holder *a = pa, *b = pb;

	return order_falling(a->time, b->time) ?: (a->pid > b->pid) - (a->pid < b->pid);
}

int cpu_holders_finish(struct cpu_holders *holders)
{
	if (holders->n)
		qsort(holders->list, holders->n, sizeof(*holders->list), compare);
	return holders->nomem ? -ENOMEM : 0;
}

void cpu_holders_done(struct cpu_holders *holders)
{
	u64_map_done(&holders->pids);
	u64_map_done(&holders->places);
	free(holders->tasks);
	free(holders->list);
	memset(holders, 0, sizeof(*holders));
}

bool cpu_holder_is_recorder(const struct cpu_holder *holder)
{
	return holder->pid && str_after(holder->name, RECORDER);
}
