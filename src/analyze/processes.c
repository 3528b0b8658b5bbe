/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/processes.h"

#include <stdlib.h>

#include "base/str.h"

#define IS_THREAD 0x10000 /* CLONE_THREAD */

static struct process *get(struct processes *processes, int32_t pid)
{
	size_t n = processes->n;
	struct process *process;

	if (n >= PROCESSES_MAX && u64_map_get(&processes->pids, (uint32_t)pid) == U64_MAP_NONE)
		return NULL;
	process = u64_map_element(&processes->pids, (uint32_t)pid, &processes->list, &processes->n,
				  &processes->cap, sizeof(*processes->list));
	if (!process)
		processes->nomem = true;
	else if (processes->n > n)
		*process = (struct process){ .pid = pid, .code = PROCESS_RUNS };
	return process;
}

/* The thread that ends all of a process says with which code. */
static void feed_syscall(struct processes *processes, const struct happening *happening)
{
	const char *name = happening->entry->format->name;
	struct process *process;

	if (!str_eq(name, "sys_enter_exit_group"))
		return;
	process = get(processes, happening->event->pid);
	if (process)
		process->code = (int64_t)(happening->call_number.first & 0xff);
}

void processes_feed(struct processes *processes, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	struct process *process;

	if (processes->nomem)
		return;
	switch (happening->kind) {
	case HAPPENING_NEW_TASK:
		process = get(processes, happening->task.pid);
		if (!process)
			return;
		process->parent = event->pid;
		process->thread = happening->task.flags & IS_THREAD;
		process->started = event->time;
		break;
	case HAPPENING_EXEC:
		process = get(processes, event->pid);
		if (!process || !happening->path.len)
			return;
		process->program =
			arena_strndup(&processes->arena, happening->path.text, happening->path.len);
		if (!process->program)
			processes->nomem = true;
		break;
	case HAPPENING_TASK_EXIT:
		process = get(processes, event->pid);
		if (process)
			process->ended = event->time;
		break;
	case HAPPENING_SIGNAL:
		process = get(processes, event->pid);
		if (!process)
			return;
		process->signals++;
		process->last_signal = (int32_t)happening->amount.value;
		break;
	case HAPPENING_SYSCALL_ENTRY:
		feed_syscall(processes, happening);
		break;
	default:
		break;
	}
}

const struct process *processes_find(const struct processes *processes, int32_t pid)
{
	uint32_t place = u64_map_get(&processes->pids, (uint32_t)pid);

	return place == U64_MAP_NONE ? NULL : &processes->list[place];
}

void processes_done(struct processes *processes)
{
	u64_map_done(&processes->pids);
	free(processes->list);
	arena_done(&processes->arena);
	*processes = (struct processes){ 0 };
}
