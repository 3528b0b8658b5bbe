/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/count/count-tasks.h"

#include <stdlib.h>
#include <string.h>

#define CLONE_THREAD 0x00010000

/* Returns NULL for an idle task, or if memory is exhausted. */
static struct count_task *count_tasks_get(struct count_tasks *tasks, int32_t pid)
{
	struct count_task *task;

	if (pid <= 0)
		return NULL;
	task = u64_map_element(&tasks->pids, (uint32_t)pid, &tasks->list, &tasks->n, &tasks->cap,
			       sizeof(*task));
	tasks->nomem |= !task;
	return task;
}

const struct count_task *count_tasks_find(const struct count_tasks *tasks, int32_t pid)
{
	uint32_t place = pid > 0 ? u64_map_get(&tasks->pids, (uint32_t)pid) : U64_MAP_NONE;

	return place < tasks->n ? &tasks->list[place] : NULL;
}

static void count_task_name(struct count_task *task, const char *name, size_t len)
{
	len = len < COUNT_COMM_SIZE ? len : COUNT_COMM_SIZE - 1;
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, name, len);
}

static void count_tasks_learn(struct count_tasks *tasks, int32_t pid, struct decoded_name name)
{
	struct count_task *task = name.s && name.len ? count_tasks_get(tasks, pid) : NULL;

	if (task)
		count_task_name(task, name.s, name.len);
}

/* A new thread has the name and, unless it is a process of its own, the process of its creator. */
static void count_tasks_make(struct count_tasks *tasks, const struct decoded_event *decoded)
{
	struct count_task *task = count_tasks_get(tasks, decoded->task.pid);
	const struct count_task *maker = count_tasks_find(tasks, decoded->event->pid);

	if (!task)
		return;
	*task = (struct count_task){ .is_made = true, .tgid = decoded->task.pid };
	if (decoded->task.flags & CLONE_THREAD)
		task->tgid = maker && maker->tgid ? maker->tgid : decoded->event->pid;
	if (maker)
		memcpy(task->comm, maker->comm, sizeof(task->comm));
}

static void count_tasks_fork(struct count_tasks *tasks, const struct decoded_event *decoded)
{
	struct count_task *task = count_tasks_get(tasks, decoded->task.pid);

	if (!task)
		return;
	if (!task->is_made)
		*task = (struct count_task){ 0 };
	task->is_made = false;
	count_tasks_learn(tasks, decoded->task.pid, decoded->task.name);
}

/* The program's file gives its name; the thread that executes it becomes the first one. */
static void count_tasks_exec(struct count_tasks *tasks, const struct decoded_event *decoded)
{
	struct count_task *task = count_tasks_get(tasks, decoded->event->pid);
	const char *text = decoded->path.text;
	size_t len = decoded->path.len;
	const char *slash = len ? memrchr(text, '/', len) : NULL;

	if (!task)
		return;
	task->tgid = decoded->event->pid;
	if (!len)
		return;
	len -= slash ? (size_t)(slash + 1 - text) : 0;
	count_task_name(task, slash ? slash + 1 : text, len);
}

void count_tasks_feed(struct count_tasks *tasks, const struct decoded_event *decoded)
{
	struct count_task *task;

	switch (decoded->kind) {
	case DECODED_SWITCH:
		count_tasks_learn(tasks, decoded->sched.prev_pid, decoded->sched.prev_name);
		count_tasks_learn(tasks, decoded->sched.next_pid, decoded->sched.next_name);
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
	case DECODED_WAKEUP_NEW:
		count_tasks_learn(tasks, decoded->task.pid, decoded->task.name);
		break;
	case DECODED_NEW_TASK:
		count_tasks_make(tasks, decoded);
		break;
	case DECODED_FORK:
		count_tasks_fork(tasks, decoded);
		break;
	case DECODED_EXEC:
		count_tasks_exec(tasks, decoded);
		break;
	case DECODED_SAMPLE:
	case DECODED_USER_STACK:
		task = decoded->sample.process > 0 ? count_tasks_get(tasks, decoded->event->pid) :
						     NULL;
		if (task)
			task->tgid = decoded->sample.process;
		break;
	default:
		break;
	}
}

void count_tasks_done(struct count_tasks *tasks)
{
	u64_map_done(&tasks->pids);
	free(tasks->list);
	*tasks = (struct count_tasks){ 0 };
}
