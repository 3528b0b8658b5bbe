/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export-nest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

/* Deeper than any kernel's stack of calls: a file that says so is not believed. */
#define DEPTH_MAX     4096
#define DEPTH_SYSCALL (-1)

/* The frame of a function; UINT32_MAX without memory. */
static uint32_t new_frame(struct nest *nest, struct nest_frame frame)
{
	if (mem_reserve(&nest->frames, &nest->cap_frames, nest->n_frames + 1,
			sizeof(*nest->frames)) < 0)
		return UINT32_MAX;
	nest->frames[nest->n_frames] = frame;
	return (uint32_t)nest->n_frames++;
}

static uint32_t function_frame(struct nest *nest, uint64_t address)
{
	uint32_t func = func_table_find(&nest->funcs, address), frame;

	if (func == FUNC_NONE || mem_reserve(&nest->func_frames, &nest->cap_func_frames,
					     (size_t)func + 1, sizeof(*nest->func_frames)) < 0)
		return UINT32_MAX;
	while (nest->n_func_frames <= func)
		nest->func_frames[nest->n_func_frames++] = 0;
	if (nest->func_frames[func])
		return nest->func_frames[func] - 1;
	frame = new_frame(nest, (struct nest_frame){ .func = func });
	if (frame != UINT32_MAX)
		nest->func_frames[func] = frame + 1;
	return frame;
}

static uint32_t syscall_frame(struct nest *nest, const struct happening *happening)
{
	uint64_t number = (uint64_t)happening->call_number.number;
	uint32_t known = nest->numbers.n, place, frame;
	const char *name = happening_syscall_name(happening);

	if (mem_reserve(&nest->call_frames, &nest->cap_call_frames, (size_t)known + 1,
			sizeof(*nest->call_frames)) < 0)
		return UINT32_MAX;
	/* A place that is given without its frame would be an open promise. */
	if (u64_map_get(&nest->numbers, number) == U64_MAP_NONE) {
		frame = new_frame(nest, (struct nest_frame){ .func = FUNC_NONE, .number = number });
		if (frame == UINT32_MAX)
			return UINT32_MAX;
		nest->call_frames[known] = frame;
	}
	place = u64_map_put(&nest->numbers, number);
	if (place == U64_MAP_NONE)
		return UINT32_MAX;
	frame = nest->call_frames[place];
	if (name && !nest->frames[frame].name) {
		nest->frames[frame].name = arena_strdup(&nest->arena, name);
		nest->nomem |= !nest->frames[frame].name;
	}
	return frame;
}

static struct nest_cpu *get_cpu(struct nest *nest, uint32_t cpu)
{
	if (cpu >= nest->n_cpus &&
	    mem_reserve(&nest->cpus, &nest->cap_cpus, (size_t)cpu + 1, sizeof(*nest->cpus)) < 0) {
		nest->nomem = true;
		return NULL;
	}
	while (nest->n_cpus <= cpu)
		nest->cpus[nest->n_cpus++] = (struct nest_cpu){ 0 };
	return &nest->cpus[cpu];
}

static void open_frame(struct nest *nest, struct nest_task *task, uint32_t frame, int depth,
		       uint64_t time)
{
	if (frame == UINT32_MAX ||
	    mem_reserve(&task->stack, &task->cap, task->n + 1, sizeof(*task->stack)) < 0) {
		nest->nomem = true;
		return;
	}
	task->stack[task->n++] = (struct nest_open){ .frame = frame, .depth = depth };
	nest->opened(nest->data, task, frame, time);
}

/* Closes from the innermost on until @n are open. */
static void close_to(struct nest *nest, struct nest_task *task, size_t n, uint64_t time)
{
	while (task->n > n) {
		const struct nest_open *open = &task->stack[--task->n];

		nest->closed(nest->data, task, open->frame, time);
		if (open->depth == DEPTH_SYSCALL)
			task->ending = false;
		task->ready = time;
	}
	if (task->n && task->ending && task->stack[task->n - 1].depth == DEPTH_SYSCALL)
		close_to(nest, task, task->n - 1, time);
}

/* Events of it are missing: what was open is shown as far as it was seen. */
static void abandon(struct nest *nest, struct nest_task *task)
{
	close_to(nest, task, 0, task->last);
	task->in_call = task->pending = task->ending = false;
}

static struct nest_task *get_task(struct nest *nest, const struct fathom_event *event)
{
	int64_t key = event->pid > 0 ? event->pid : -1 - (int64_t)event->cpu;
	uint32_t place = u64_map_get(&nest->places, (uint64_t)key);
	struct nest_task *task;

	if (place != U64_MAP_NONE)
		return nest->tasks[place];
	if (mem_reserve(&nest->tasks, &nest->cap_tasks, nest->n_tasks + 1, sizeof(void *)) < 0)
		return NULL;
	task = arena_zalloc(&nest->arena, 1, sizeof(*task));
	if (!task || u64_map_put(&nest->places, (uint64_t)key) == U64_MAP_NONE)
		return NULL;
	task->key = key;
	task->number = (uint32_t)nest->n_tasks;
	task->first = task->last = event->time;
	task->cpu = event->cpu;
	task->cpu_gaps = nest->cpus[event->cpu].gaps;
	nest->tasks[nest->n_tasks++] = task;
	return task;
}

/* Before anything is done with an event of a task. */
static struct nest_task *touch(struct nest *nest, const struct fathom_event *event)
{
	struct nest_cpu *cpu = get_cpu(nest, event->cpu);
	struct nest_task *task = cpu ? get_task(nest, event) : NULL;

	if (!task) {
		nest->nomem = true;
		return NULL;
	}
	if (nest->cpus[task->cpu].gaps != task->cpu_gaps || cpu->last_gap > task->last)
		abandon(nest, task);
	task->cpu = event->cpu;
	task->cpu_gaps = cpu->gaps;
	if (event->time > task->last)
		task->last = event->time;
	if (task->last > nest->last)
		nest->last = task->last;
	return task;
}

/* The place of the outermost function at @depth or deeper; task->n: there is none. */
static size_t find_depth(const struct nest_task *task, int depth)
{
	size_t i = task->n;

	/* Depths grow with the places, but for system calls among them. */
	while (i &&
	       (task->stack[i - 1].depth == DEPTH_SYSCALL || task->stack[i - 1].depth >= depth))
		i--;
	while (i < task->n && task->stack[i].depth == DEPTH_SYSCALL)
		i++;
	return i;
}

static void open_pending(struct nest *nest, struct nest_task *task)
{
	if (!task->pending)
		return;
	task->pending = false;
	open_frame(nest, task, task->call, DEPTH_SYSCALL, task->ready);
}

static bool feed_function(struct nest *nest, struct nest_task *task,
			  const struct happening *happening)
{
	int depth = happening->call.depth;

	if (!nest->buffer)
		nest->buffer = happening->event->buffer + 1;
	/* Calls that are in several buffers are taken from one. */
	if (happening->event->buffer + 1 != nest->buffer || depth < 0 || depth > DEPTH_MAX)
		return false;
	if (happening->kind == HAPPENING_CALL) {
		if (happening->call.no_start)
			return true;
		/* What was at this depth has ended, or this could not begin. */
		close_to(nest, task, find_depth(task, depth), task->last);
		open_pending(nest, task);
		open_frame(nest, task, function_frame(nest, happening->call.func), depth,
			   task->last);
		if (task->n)
			task->stack[task->n - 1].is_user = happening->call.is_user;
	} else {
		size_t i;

		close_to(nest, task, find_depth(task, depth + 1), task->last);
		i = find_depth(task, depth);
		/* One whose beginning is not there is an end of nothing. */
		if (i < task->n && task->stack[i].depth == depth)
			close_to(nest, task, i, task->last);
	}
	return true;
}

static size_t find_syscall(const struct nest_task *task)
{
	size_t i = 0;

	while (i < task->n && task->stack[i].depth != DEPTH_SYSCALL)
		i++;
	return i;
}

static enum nest_kind feed_entry(struct nest *nest, struct nest_task *task,
				 const struct happening *happening)
{
	/* One that is still open has ended before. */
	close_to(nest, task, find_syscall(task), task->last);
	task->call = syscall_frame(nest, happening);
	nest->nomem |= task->call == UINT32_MAX;
	task->in_call = task->pending = task->call != UINT32_MAX;
	task->call_start = task->ready = task->last;
	if (!task->n || task->stack[task->n - 1].is_user)
		open_pending(nest, task);
	return NEST_ENTRY;
}

static enum nest_kind feed_exit(struct nest *nest, struct nest_task *task,
				const struct happening *happening)
{
	size_t i;

	if (!task->in_call ||
	    nest->frames[task->call].number != (uint64_t)happening->call_number.number)
		return NEST_OTHER;
	open_pending(nest, task);
	i = find_syscall(task);
	task->ending = i < task->n;
	close_to(nest, task, task->n, task->last);
	task->in_call = false;
	return NEST_EXIT;
}

static enum nest_kind feed_syscall(struct nest *nest, struct nest_task *task,
				   const struct happening *happening)
{
	struct export_call *last = &nest->cpus[happening->event->cpu].call;
	bool is_entry = happening->kind == HAPPENING_SYSCALL_ENTRY;

	if (export_call_repeats(last, is_entry ? EXPORT_CALL_ENTER : EXPORT_CALL_EXIT,
				happening->event, (uint64_t)happening->call_number.number)) {
		/* It may be the one that tells the name. */
		nest->nomem |= syscall_frame(nest, happening) == UINT32_MAX;
		return NEST_AGAIN;
	}
	return is_entry ? feed_entry(nest, task, happening) : feed_exit(nest, task, happening);
}

/* A task that is gone does not return from its last functions. */
static void feed_switch(struct nest *nest, const struct happening *happening)
{
	uint32_t place = u64_map_get(&nest->places, (uint64_t)(int64_t)happening->sched.prev_pid);

	if (happening->sched.prev == TASK_STATE_DEAD && happening->sched.prev_pid > 0 &&
	    place != U64_MAP_NONE)
		abandon(nest, nest->tasks[place]);
}

/* Events were lost on the CPU of @event before it. */
static void feed_gap(struct nest *nest, const struct fathom_event *event)
{
	struct nest_cpu *cpu = get_cpu(nest, event->cpu);

	if (!cpu)
		return;
	cpu->gaps++;
	cpu->last_gap = event->time;
	cpu->call = (struct export_call){ 0 };
}

void nest_begin(struct nest *nest, struct report *report, nest_taker *opened, nest_taker *closed,
		void *data)
{
	nest->opened = opened;
	nest->closed = closed;
	nest->data = data;
	nest->funcs.kallsyms = report_kallsyms(report);
	nest->reader.table = report_events(report);
	nest->users.users = nest->reader.table->users;
}

void nest_take(struct nest *nest, const struct fathom_event *event, user_calls_taker *take,
	       void *data)
{
	struct happening happening;

	if (event->missed)
		feed_gap(nest, event);
	if (!event->data)
		return;
	happening_read(&nest->reader, event, &happening);
	user_calls_feed(&nest->users, &happening, take, data);
}

struct nest_task *nest_feed(struct nest *nest, const struct happening *happening,
			    enum nest_kind *ret_kind)
{
	struct nest_task *task = touch(nest, happening->event);

	*ret_kind = NEST_OTHER;
	if (!task)
		return NULL;
	switch (happening->kind) {
	case HAPPENING_CALL:
	case HAPPENING_RETURN:
		if (feed_function(nest, task, happening))
			*ret_kind = NEST_FUNCTION;
		break;
	case HAPPENING_SYSCALL_ENTRY:
	case HAPPENING_SYSCALL_EXIT:
		*ret_kind = feed_syscall(nest, task, happening);
		break;
	case HAPPENING_SWITCH:
		feed_switch(nest, happening);
		break;
	default:
		break;
	}
	return task;
}

int nest_finish(struct nest *nest)
{
	for (size_t i = 0; i < nest->n_tasks; i++) {
		struct nest_task *task = nest->tasks[i];

		if (nest->cpus[task->cpu].gaps == task->cpu_gaps && task->n)
			task->last = nest->last;
		abandon(nest, task);
	}
	return nest->nomem || nest->users.nomem || nest->reader.nomem ? -ENOMEM : 0;
}

void nest_done(struct nest *nest)
{
	for (size_t i = 0; i < nest->n_tasks; i++)
		free(nest->tasks[i]->stack);
	func_table_done(&nest->funcs);
	user_calls_done(&nest->users);
	happening_reader_done(&nest->reader);
	free(nest->frames);
	free(nest->func_frames);
	u64_map_done(&nest->numbers);
	free(nest->call_frames);
	u64_map_done(&nest->places);
	free(nest->tasks);
	free(nest->cpus);
	arena_done(&nest->arena);
}

void nest_put_name(const struct nest *nest, uint32_t number, struct strbuf *buf)
{
	const struct nest_frame *frame = &nest->frames[number];

	if (frame->func != FUNC_NONE)
		func_put_name(&nest->funcs.list[frame->func], buf);
	else if (frame->name)
		strbuf_add(buf, frame->name, strlen(frame->name));
	else
		strbuf_addf(buf, "sys_%" PRIu64, frame->number);
}

void nest_put_task(const struct nest_task *task, const struct tasks *known, struct strbuf *buf)
{
	const struct task *found = task->key > 0 ? tasks_find(known, (int32_t)task->key) : NULL;

	if (found)
		strbuf_add(buf, found->comm, strlen(found->comm));
	else
		strbuf_addf(buf, "swapper/%" PRId64, -1 - task->key);
}
