/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct syscalls_task {
	int64_t number; /* of the call that it is in; -1: none */
	uint64_t start, asleep;
	uint64_t off_since; /* 0: it is on a CPU, as far as is known */
	uint64_t ended; /* when the task did, as far as is known; 0: it has not */
	struct gaps_mark mark;
	uint16_t id; /* of the event that told of the call first */
	bool doubtful; /* events were lost during the call */
};

static struct syscalls_task *find_task(struct syscalls *syscalls, int32_t pid)
{
	uint32_t place = u64_map_put(&syscalls->pids, (uint32_t)pid);

	if (place == U64_MAP_NONE || mem_reserve(&syscalls->tasks, &syscalls->cap_tasks,
						 place + (size_t)1, sizeof(*syscalls->tasks)) < 0) {
		syscalls->nomem = true;
		return NULL;
	}
	for (; syscalls->n_tasks <= place; syscalls->n_tasks++)
		syscalls->tasks[syscalls->n_tasks] = (struct syscalls_task){ .number = -1 };
	return &syscalls->tasks[place];
}

static struct syscall_sums *find_sums(struct syscalls *syscalls, int64_t number)
{
	uint32_t place = u64_map_put(&syscalls->numbers, (uint64_t)number);

	if (place == U64_MAP_NONE || mem_reserve(&syscalls->list, &syscalls->cap, place + (size_t)1,
						 sizeof(*syscalls->list)) < 0) {
		syscalls->nomem = true;
		return NULL;
	}
	for (; syscalls->n <= place; syscalls->n++)
		syscalls->list[syscalls->n] = (struct syscall_sums){ .number = number };
	return &syscalls->list[place];
}

/* "sys_enter_openat" tells a name, "sys_enter" does not. */
static void learn_name(struct syscalls *syscalls, struct syscall_sums *sums,
		       const struct happening *happening)
{
	const char *name = happening_syscall_name(happening);

	if (sums->name || !name)
		return;
	sums->name = arena_strdup(&syscalls->arena, name);
	if (!sums->name)
		syscalls->nomem = true;
}

/* The task is at @cpu now: were events lost since it was seen last? */
static void move_task(struct syscalls *syscalls, struct syscalls_task *task, uint32_t cpu)
{
	if (gaps_crossed(&syscalls->gaps, &task->mark, cpu) && task->number >= 0)
		task->doubtful = true;
}

/* Nothing more is to come of the call that the task is in, if it is in one. */
static void cut(struct syscalls *syscalls, struct syscalls_task *task)
{
	struct syscall_sums *sums = task->number >= 0 ? find_sums(syscalls, task->number) : NULL;

	if (sums && task->ended && !task->doubtful) {
		sums->ended_in++;
		sums->asleep += task->asleep;
		sums->ended_total += task->ended > task->start ? task->ended - task->start : 0;
	} else if (sums) {
		sums->cut++;
	}
	task->number = -1;
	task->ended = 0;
}

/* The task ends in its call; what it still does for that follows. */
static void end_task(struct syscalls *syscalls, int32_t pid, const struct fathom_event *event)
{
	uint32_t place = u64_map_get(&syscalls->pids, (uint32_t)pid);

	if (place >= syscalls->n_tasks || syscalls->tasks[place].number < 0)
		return;
	move_task(syscalls, &syscalls->tasks[place], event->cpu);
	syscalls->tasks[place].ended = event->time;
}

static void feed_entry(struct syscalls *syscalls, const struct happening *happening)
{
	int64_t number = happening->call_number.number;
	struct syscalls_task *task = find_task(syscalls, happening->event->pid);
	struct syscall_sums *sums = number >= 0 ? find_sums(syscalls, number) : NULL;

	if (!task || !sums)
		return;
	learn_name(syscalls, sums, happening);
	move_task(syscalls, task, happening->event->cpu);
	/* The other of the two events that tell of one call comes right behind. */
	if (task->number == number && task->id != happening->event->id && !task->doubtful &&
	    !task->ended)
		return;
	cut(syscalls, task);
	task->number = number;
	task->id = happening->event->id;
	task->start = happening->event->time;
	task->asleep = 0;
	task->off_since = 0;
	task->doubtful = false;
}

static void feed_exit(struct syscalls *syscalls, const struct happening *happening)
{
	int64_t number = happening->call_number.number, result = happening->call_number.result;
	struct syscalls_task *task = find_task(syscalls, happening->event->pid);
	struct syscall_sums *sums = number >= 0 ? find_sums(syscalls, number) : NULL;
	uint64_t total;

	if (!task || !sums)
		return;
	learn_name(syscalls, sums, happening);
	move_task(syscalls, task, happening->event->cpu);
	if (task->number != number || task->doubtful) {
		cut(syscalls, task);
		task->doubtful = false;
		return;
	}
	total = happening->event->time - task->start;
	if (!sums->count || total < sums->min)
		sums->min = total;
	if (!sums->count || total > sums->max) {
		sums->max = total;
		sums->slowest_time = task->start;
		sums->slowest_pid = happening->event->pid;
	}
	if (!sums->count || task->start < sums->first_time)
		sums->first_time = task->start;
	if (task->start > sums->last_time)
		sums->last_time = task->start;
	sums->count++;
	sums->total += total;
	sums->asleep += task->asleep;
	if (error_code(result)) {
		sums->failed++;
		error_counts_add(&sums->errors, error_code(result), 1);
	}
	if (spread_add(&sums->spread, total) < 0)
		syscalls->nomem = true;
	if (syscalls->ended) {
		const struct instance instance = { .start = task->start,
						   .duration = total,
						   .pid = happening->event->pid,
						   .cpu = happening->event->cpu };

		syscalls->ended(syscalls->ended_data, sums, &instance);
	}
	task->number = -1;
}

static void feed_switch(struct syscalls *syscalls, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	uint32_t prev = u64_map_get(&syscalls->pids, (uint32_t)happening->sched.prev_pid);
	uint32_t next = u64_map_get(&syscalls->pids, (uint32_t)happening->sched.next_pid);

	if (happening->sched.prev_pid && prev < syscalls->n_tasks) {
		move_task(syscalls, &syscalls->tasks[prev], event->cpu);
		syscalls->tasks[prev].off_since = event->time;
		if (happening->sched.prev == TASK_STATE_DEAD || syscalls->tasks[prev].ended)
			end_task(syscalls, happening->sched.prev_pid, event);
	}
	if (happening->sched.next_pid && next < syscalls->n_tasks) {
		struct syscalls_task *task = &syscalls->tasks[next];

		move_task(syscalls, task, event->cpu);
		if (task->off_since)
			task->asleep += event->time - task->off_since;
		task->off_since = 0;
	}
}

void syscalls_feed(struct syscalls *syscalls, const struct happening *happening)
{
	gaps_note(&syscalls->gaps, happening->event);
	switch (happening->kind) {
	case HAPPENING_SYSCALL_ENTRY:
		feed_entry(syscalls, happening);
		break;
	case HAPPENING_SYSCALL_EXIT:
		feed_exit(syscalls, happening);
		break;
	case HAPPENING_SWITCH:
		feed_switch(syscalls, happening);
		break;
	case HAPPENING_TASK_EXIT:
		end_task(syscalls, happening->task.pid, happening->event);
		break;
	default:
		break;
	}
}

int syscalls_finish(struct syscalls *syscalls)
{
	for (size_t i = 0; i < syscalls->n_tasks; i++)
		cut(syscalls, &syscalls->tasks[i]);
	return syscalls->nomem || syscalls->gaps.nomem ? -ENOMEM : 0;
}

void syscalls_done(struct syscalls *syscalls)
{
	for (size_t i = 0; i < syscalls->n; i++)
		spread_done(&syscalls->list[i].spread);
	u64_map_done(&syscalls->numbers);
	u64_map_done(&syscalls->pids);
	arena_done(&syscalls->arena);
	free(syscalls->list);
	free(syscalls->tasks);
	gaps_done(&syscalls->gaps);
	memset(syscalls, 0, sizeof(*syscalls));
}
