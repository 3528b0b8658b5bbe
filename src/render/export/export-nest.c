/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export/export-nest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/stream/task-key.h"
#include "base/mem.h"
#include "base/str.h"

#define FRAME_NONE UINT32_MAX

/* Returns FRAME_NONE if memory is exhausted. */
static uint32_t new_frame(struct nest *nest, struct nest_frame frame)
{
	if (mem_reserve(&nest->frames, &nest->cap_frames, nest->n_frames + 1,
			sizeof(*nest->frames)) < 0)
		return FRAME_NONE;
	nest->frames[nest->n_frames] = frame;
	return (uint32_t)nest->n_frames++;
}

/*
 * Returns the frame of a function; complete calls and cut ones have different frames. Returns
 * FRAME_NONE if memory is exhausted.
 */
static uint32_t function_frame(struct nest *nest, uint32_t func, bool is_cut)
{
	size_t place = 2 * (size_t)func + is_cut;
	uint32_t frame;

	if (mem_reserve(&nest->func_frames, &nest->cap_func_frames, place + 1,
			sizeof(*nest->func_frames)) < 0)
		return FRAME_NONE;
	while (nest->n_func_frames <= place)
		nest->func_frames[nest->n_func_frames++] = 0;
	if (nest->func_frames[place])
		return nest->func_frames[place] - 1;
	frame = new_frame(nest, (struct nest_frame){ .func = func, .is_cut = is_cut });
	if (frame != FRAME_NONE)
		nest->func_frames[place] = frame + 1;
	return frame;
}

static uint32_t syscall_frame(struct nest *nest, const struct decoded_event *decoded)
{
	uint64_t number = (uint64_t)decoded->call_number.number;
	uint32_t known = nest->numbers.n, place, frame;
	const char *name = decoded_syscall_name(decoded);

	if (mem_reserve(&nest->call_frames, &nest->cap_call_frames, (size_t)known + 1,
			sizeof(*nest->call_frames)) < 0)
		return FRAME_NONE;
	/* A place without a frame would be invalid, so reserve the memory first. */
	if (u64_map_get(&nest->numbers, number) == U64_MAP_NONE) {
		frame = new_frame(nest, (struct nest_frame){ .func = FUNC_NONE, .number = number });
		if (frame == FRAME_NONE)
			return FRAME_NONE;
		nest->call_frames[known] = frame;
	}
	place = u64_map_put(&nest->numbers, number);
	if (place == U64_MAP_NONE)
		return FRAME_NONE;
	frame = nest->call_frames[place];
	if (name && !nest->frames[frame].name) {
		nest->frames[frame].name = arena_strdup(&nest->arena, name);
		nest->nomem |= !nest->frames[frame].name;
	}
	return frame;
}

/* Returns the last event of a system call on this CPU. */
static struct export_call *export_nest_last_call(struct nest *nest, uint32_t cpu)
{
	if (cpu >= nest->n_last_calls &&
	    mem_reserve(&nest->last_calls, &nest->cap_last_calls, (size_t)cpu + 1,
			sizeof(*nest->last_calls)) < 0) {
		nest->nomem = true;
		return NULL;
	}
	while (nest->n_last_calls <= cpu)
		nest->last_calls[nest->n_last_calls++] = (struct export_call){ 0 };
	return &nest->last_calls[cpu];
}

static void export_nest_push(struct nest *nest, struct nest_task *task,
			     const struct nest_open *open)
{
	if (mem_reserve(&task->stack, &task->cap, task->n + 1, sizeof(*task->stack)) < 0) {
		nest->nomem = true;
		return;
	}
	task->stack[task->n++] = *open;
}

/* Keeps the times shown for a task from going back. */
static uint64_t export_nest_show(struct nest_task *task, uint64_t time)
{
	if (time > task->shown)
		task->shown = time;
	return task->shown;
}

static void open_frame(struct nest *nest, struct nest_task *task, const struct nest_open *open,
		       uint64_t time)
{
	size_t n = task->n;

	export_nest_push(nest, task, open);
	/* A call begins shortly before its event. */
	if (open->frame != FRAME_NONE && time < task->first)
		task->first = time;
	if (task->n > n && open->frame != FRAME_NONE && !nest->is_first)
		nest->opened(nest->data, task, open->frame, export_nest_show(task, time));
}

static void close_innermost(struct nest *nest, struct nest_task *task, uint64_t time)
{
	const struct nest_open *open = &task->stack[--task->n];

	if (open->frame != FRAME_NONE && !nest->is_first)
		nest->closed(nest->data, task, open->frame, export_nest_show(task, time));
	task->ready = time;
}

/* Closes system calls that have ended and are now innermost. */
static void close_ending(struct nest *nest, struct nest_task *task, uint64_t time)
{
	while (task->n && task->stack[task->n - 1].ending)
		close_innermost(nest, task, time);
}

static void end_syscalls(struct nest *nest, struct nest_task *task, uint64_t time)
{
	for (size_t i = 0; i < task->n; i++)
		task->stack[i].ending = task->stack[i].is_syscall;
	close_ending(nest, task, time);
}

/* Events of the task are missing: shows its open system call up to the last event. */
static void abandon(struct nest *nest, struct nest_task *task)
{
	end_syscalls(nest, task, task->last);
	task->in_call = task->pending = false;
}

static struct nest_task *export_nest_get_task(struct nest *nest, const struct fathom_event *event)
{
	int64_t key = task_key_of(event);
	uint32_t place = u64_map_get(&nest->places, (uint64_t)key);
	struct nest_task *task;

	if (place != U64_MAP_NONE)
		return nest->tasks[place]->shown_as;
	if (mem_reserve(&nest->tasks, &nest->cap_tasks, nest->n_tasks + 1, sizeof(void *)) < 0)
		return NULL;
	task = arena_zalloc(&nest->arena, 1, sizeof(*task));
	if (!task || u64_map_put(&nest->places, (uint64_t)key) == U64_MAP_NONE)
		return NULL;
	task->key = key;
	task->shown_as = task;
	task->number = (uint32_t)nest->n_tasks;
	task->first = task->last = event->time;
	nest->tasks[nest->n_tasks++] = task;
	return task;
}

/* Must be called first for each event of a task. */
static struct nest_task *export_nest_touch(struct nest *nest, const struct fathom_event *event)
{
	struct nest_task *task = export_nest_get_task(nest, event);

	if (!task) {
		nest->nomem = true;
		return NULL;
	}
	if (gaps_crossed(&nest->gaps, &task->mark, event->cpu, event->time))
		abandon(nest, task);
	task->gone = false;
	if (event->time > task->last)
		task->last = event->time;
	if (task->last > nest->last)
		nest->last = task->last;
	return task;
}

static void open_pending(struct nest *nest, struct nest_task *task)
{
	if (!task->pending)
		return;
	task->pending = false;
	open_frame(nest, task, &(struct nest_open){ .frame = task->call, .is_syscall = true },
		   task->ready);
}

static struct nest_task *task_of(const struct nest *nest, int64_t key)
{
	uint32_t place = u64_map_get(&nest->places, (uint64_t)key);

	return place == U64_MAP_NONE ? NULL : nest->tasks[place];
}

/* Returns the task as which events of this pid are shown. */
static struct nest_task *export_nest_find_task(const struct nest *nest, int64_t key)
{
	struct nest_task *task = task_of(nest, key);

	return task ? task->shown_as : NULL;
}

/*
 * Continues the open calls of @task under the pid of @now, and vice versa: both stay on the tracks
 * on which they began.
 */
static void export_nest_exchange(struct nest_task *task, struct nest_task *now)
{
	struct nest_task *shown_as = task->shown_as;

	task->shown_as = now->shown_as;
	task->executes = false;
	now->shown_as = shown_as;
	now->executes = shown_as != now;
}

static void export_nest_pids_exchanged(void *data, int64_t task, int64_t now)
{
	if (task_of(data, task) && task_of(data, now))
		export_nest_exchange(task_of(data, task), task_of(data, now));
}

/* Stops showing the open calls of a task that has exited. */
static void hide_open(struct nest *nest, struct nest_task *task)
{
	for (size_t i = task->n; i > 0; i--) {
		struct nest_open *open = &task->stack[i - 1];

		if (open->frame != FRAME_NONE && !nest->is_first)
			nest->closed(nest->data, task, open->frame,
				     export_nest_show(task, task->last));
		open->frame = FRAME_NONE;
		open->later = 0;
	}
	task->in_call = task->pending = false;
}

/*
 * The task has completed execve(), so none of its earlier calls is open, and it is shown under its
 * own pid from now on. The task that had this pid before has exited.
 */
static void end_exchange(struct nest *nest, struct nest_task *task)
{
	struct nest_task *other = task->shown_as, had = *task;

	hide_open(nest, task);
	task->stack = other->stack;
	task->n = other->n;
	task->cap = other->cap;
	other->stack = had.stack;
	other->n = had.n;
	other->cap = had.cap;
	for (size_t i = 0; i < nest->n_tasks; i++)
		if (nest->tasks[i]->shown_as == task)
			nest->tasks[i]->shown_as = other;
	task->shown_as = task;
	task->executes = false;
}

/*
 * Handles a thread that executes a program: it takes over the pid of the group leader, unless that
 * was already noticed.
 */
static void export_nest_feed_exec(struct nest *nest, const struct decoded_event *decoded)
{
	int32_t old_pid = decoded_old_pid(decoded);
	struct nest_task *from = old_pid ? task_of(nest, old_pid) : NULL;
	struct nest_task *now = from ? task_of(nest, decoded->event->pid) : NULL;

	if (now && !now->executes && from->shown_as->in_call)
		export_nest_exchange(from, now);
}

/* An interrupt may occur after the end of calls but before the events that report it. */
static void close_ended(struct nest *nest, struct nest_task *task, uint64_t time)
{
	for (size_t i = task ? task->n : 0; i > 0; i--) {
		struct nest_open *open = &task->stack[i - 1];

		if (open->frame == FRAME_NONE)
			continue;
		if (open->is_syscall || open->is_user || nest->frames[open->frame].is_cut ||
		    open->end > time || open->end == open->start)
			return;
		nest->closed(nest->data, task, open->frame, export_nest_show(task, open->end));
		open->frame = FRAME_NONE;
	}
}

/* Opens calls that have begun by now, even if the events of their contents came first. */
static void open_late(struct nest *nest, struct nest_task *task, uint64_t time)
{
	for (size_t i = 0; task && i < task->n; i++) {
		struct nest_open *open = &task->stack[i];

		if (!open->later || open->start > time)
			continue;
		open->frame = open->later - 1;
		open->later = 0;
		nest->opened(nest->data, task, open->frame, export_nest_show(task, open->start));
	}
}

static void export_nest_call_began(void *data, int64_t key, uint32_t func, uint64_t time)
{
	struct nest *nest = data;
	struct nest_task *task = export_nest_find_task(nest, key);
	struct nest_open open = { .frame = FRAME_NONE };
	bool was_unknown = func == FUNC_NONE;
	struct call_span span;

	if (nest->is_first) {
		open.number = call_spans_add(nest->spans);
	} else {
		span = call_spans_next(nest->spans);
		open.end = span.end;
		/* Its name may become known only later. */
		if (func == FUNC_NONE && span.kind != CALL_SPAN_HIDDEN)
			func = calls_func(nest->calls, span.address);
		if (func != FUNC_NONE && span.kind != CALL_SPAN_HIDDEN) {
			close_ended(nest, task, span.start);
			open_late(nest, task, span.start);
			open.frame = function_frame(nest, func, span.kind == CALL_SPAN_CUT);
			open.is_user = calls_funcs(nest->calls)->list[func].flags & FUNC_USER;
			nest->nomem |= open.frame == FRAME_NONE;
			/*
			 * The kernel takes the time of an interrupt before it writes its first
			 * event.
			 */
			if (was_unknown && span.start > time) {
				open.later = open.frame + 1;
				open.frame = FRAME_NONE;
			}
			time = open.start = span.start;
		}
	}
	if (!task)
		return;
	open_pending(nest, task);
	open_frame(nest, task, &open, time);
}

/* The end of the trace does not show that a call has ended. */
static uint64_t last_seen(const struct nest *nest, const struct nest_task *task, uint64_t end)
{
	return nest->is_over && !task->gone && !gaps_since(&nest->gaps, &task->mark) ? nest->last :
										       end;
}

static void export_nest_call_ended(void *data, int64_t key, const struct call_end *end)
{
	struct nest *nest = data;
	struct nest_task *task = export_nest_find_task(nest, key);
	struct call_span span = { .start = end->start, .end = end->end };
	const struct func *funcs = calls_funcs(nest->calls)->list;
	const struct nest_open *open;
	size_t n = task ? task->n : 0;
	uint64_t time;

	/* System calls that it made end with it. */
	while (n && task->stack[n - 1].is_syscall)
		n--;
	if (!n)
		return;
	open = &task->stack[n - 1];
	if (nest->is_first && !end->no_start && !end->is_inherited) {
		span.address = funcs[end->func].address;
		span.kind = end->no_end ? CALL_SPAN_CUT : CALL_SPAN_WHOLE;
		if (end->no_end)
			span.end = last_seen(nest, task, end->end);
		call_spans_set(nest->spans, open->number, &span);
	}
	time = nest->is_first ? end->end : open->end;
	open_late(nest, task, time);
	while (task->n >= n)
		close_innermost(nest, task, time);
	close_ending(nest, task, time);
}

static bool feed_function(struct nest *nest, const struct decoded_event *decoded)
{
	if (!nest->buffer)
		nest->buffer = decoded->event->buffer + 1;
	/* If several buffers have calls, those of one buffer are used. */
	return decoded->event->buffer + 1 == nest->buffer;
}

static enum nest_kind export_nest_feed_entry(struct nest *nest, struct nest_task *task,
					     const struct decoded_event *decoded)
{
	/* A call that is still open must have ended before. */
	end_syscalls(nest, task, task->last);
	task->call = syscall_frame(nest, decoded);
	nest->nomem |= task->call == FRAME_NONE;
	task->in_call = task->pending = task->call != FRAME_NONE;
	task->call_start = task->ready = task->last;
	if (!task->n || task->stack[task->n - 1].is_user)
		open_pending(nest, task);
	return NEST_ENTRY;
}

static enum nest_kind export_nest_feed_exit(struct nest *nest, struct nest_task *task,
					    const struct decoded_event *decoded)
{
	if (!task->in_call ||
	    nest->frames[task->call].number != (uint64_t)decoded->call_number.number)
		return NEST_OTHER;
	open_pending(nest, task);
	end_syscalls(nest, task, task->last);
	task->in_call = false;
	return NEST_EXIT;
}

static enum nest_kind export_nest_feed_syscall(struct nest *nest, struct nest_task *task,
					       const struct decoded_event *decoded)
{
	struct export_call *last = export_nest_last_call(nest, decoded->event->cpu);
	bool is_entry = decoded->kind == DECODED_SYSCALL_ENTRY;

	if (!last)
		return NEST_OTHER;
	if (export_call_repeats(last, is_entry ? EXPORT_CALL_ENTER : EXPORT_CALL_EXIT,
				decoded->event, (uint64_t)decoded->call_number.number)) {
		/* This event may be the one that has the name. */
		nest->nomem |= syscall_frame(nest, decoded) == FRAME_NONE;
		return NEST_AGAIN;
	}
	return is_entry ? export_nest_feed_entry(nest, task, decoded) :
			  export_nest_feed_exit(nest, task, decoded);
}

/* A task that has exited does not return from its last functions. */
static void export_nest_feed_switch(struct nest *nest, const struct decoded_event *decoded)
{
	struct nest_task *task = export_nest_find_task(nest, decoded->sched.prev_pid);

	if (decoded->sched.prev == TASK_STATE_DEAD && decoded->sched.prev_pid > 0 && task) {
		abandon(nest, task);
		task->gone = true;
	}
}

/* Events were lost on this CPU before this event. */
static void export_nest_feed_gap(struct nest *nest, const struct decoded_event *decoded)
{
	struct export_call *last = export_nest_last_call(nest, decoded->event->cpu);

	gaps_note(&nest->gaps, decoded);
	if (last)
		*last = (struct export_call){ 0 };
}

/* Returns whether function_graph takes times from this @clock. */
static bool is_local(const char *clock)
{
	return !*clock || str_eq(clock, "local") || str_eq(clock, "global");
}

static void begin_calls(struct nest *nest)
{
	const struct calls_options options = {
		.kallsyms = report_kallsyms(nest->input->report),
		.tasks = report_tasks(nest->input->report),
		.is_local_clock = is_local(fathom_trace_info(nest->input->trace)->clock),
		.clock_offset = nest->input->time_offset,
		.watch = &nest->watch
	};

	nest->nomem |= calls_new(&options, &nest->calls) < 0;
	nest->reader.table = report_events(nest->input->report);
	nest->users.users = nest->reader.table->users;
}

void nest_begin(struct nest *nest, struct report_input *input, struct call_spans *spans,
		nest_taker *opened, nest_taker *closed, void *data)
{
	nest->input = input;
	nest->spans = spans;
	nest->opened = opened;
	nest->closed = closed;
	nest->data = data;
	nest->watch = (struct calls_watch){ .began = export_nest_call_began,
					    .ended = export_nest_call_ended,
					    .exchanged = export_nest_pids_exchanged,
					    .data = nest };
	nest->is_first = true;
	begin_calls(nest);
}

static void close_all(struct nest *nest)
{
	const struct call_tree *tree;

	nest->is_over = true;
	nest->nomem |= nest->calls && calls_finish(nest->calls, &tree) < 0;
	for (size_t i = 0; i < nest->n_tasks; i++) {
		struct nest_task *task = nest->tasks[i];

		while (task->n)
			close_innermost(nest, task, last_seen(nest, task, task->last));
	}
}

/* Forgets everything about tasks and calls, between the two passes. */
static void export_nest_release(struct nest *nest)
{
	for (size_t i = 0; i < nest->n_tasks; i++)
		free(nest->tasks[i]->stack);
	calls_free(nest->calls);
	user_calls_done(&nest->users);
	exec_pids_done(&nest->execs);
	event_decoder_done(&nest->reader);
	free(nest->frames);
	free(nest->func_frames);
	u64_map_done(&nest->numbers);
	free(nest->call_frames);
	u64_map_done(&nest->places);
	free(nest->tasks);
	free(nest->last_calls);
	gaps_done(&nest->gaps);
	arena_done(&nest->arena);
}

static bool export_nest_has_nomem(const struct nest *nest)
{
	return nest->nomem || nest->users.nomem || nest->reader.nomem || nest->execs.nomem ||
	       nest->gaps.nomem;
}

static void begin_again(struct nest *nest)
{
	struct nest again = { .opened = nest->opened,
			      .closed = nest->closed,
			      .data = nest->data,
			      .input = nest->input,
			      .spans = nest->spans,
			      .watch = nest->watch,
			      .without_syscalls = nest->without_syscalls };

	close_all(nest);
	again.nomem = export_nest_has_nomem(nest);
	call_spans_rewind(nest->spans);
	export_nest_release(nest);
	*nest = again;
	begin_calls(nest);
}

static void export_nest_take_first(void *data, const struct decoded_event *decoded)
{
	enum nest_kind kind;

	nest_feed(data, decoded, &kind);
}

static void export_nest_take_event(struct nest *nest, const struct fathom_event *event,
				   user_calls_taker *take, void *data)
{
	struct decoded_event decoded;

	if (!event->data)
		return;
	event_decoder_read(&nest->reader, event, &decoded);
	if (decoded_has_gap(&decoded))
		export_nest_feed_gap(nest, &decoded);
	exec_pids_feed(&nest->execs, &decoded);
	user_calls_feed(&nest->users, &decoded, take, data);
}

void nest_take_first(struct nest *nest, const struct fathom_event *event)
{
	export_nest_take_event(nest, event, export_nest_take_first, nest);
}

void nest_take(struct nest *nest, const struct fathom_event *event, user_calls_taker *taker,
	       void *data)
{
	if (nest->is_first)
		begin_again(nest);
	export_nest_take_event(nest, event, taker, data);
}

struct nest_task *nest_feed(struct nest *nest, const struct decoded_event *decoded,
			    enum nest_kind *ret_kind)
{
	const struct fathom_event *event = decoded->event;
	struct nest_task *task = export_nest_touch(nest, event), *of;

	*ret_kind = NEST_OTHER;
	if (!task || !nest->calls)
		return NULL;
	calls_feed(nest->calls, decoded);
	export_nest_feed_exec(nest, decoded);
	of = task_of(nest, task_key_of(event));
	if (of->shown_as != task)
		task = export_nest_touch(nest, event);
	switch (decoded->kind) {
	case DECODED_CALL:
	case DECODED_RETURN:
		if (feed_function(nest, decoded))
			*ret_kind = NEST_FUNCTION;
		break;
	case DECODED_SYSCALL_ENTRY:
	case DECODED_SYSCALL_EXIT:
		if (!nest->without_syscalls)
			*ret_kind = export_nest_feed_syscall(nest, task, decoded);
		break;
	case DECODED_SWITCH:
		export_nest_feed_switch(nest, decoded);
		break;
	default:
		break;
	}
	if (of->executes && !task->n && !task->in_call)
		end_exchange(nest, of);
	return task;
}

int nest_finish(struct nest *nest)
{
	if (nest->is_first)
		begin_again(nest);
	close_all(nest);
	return export_nest_has_nomem(nest) ? -ENOMEM : 0;
}

void nest_done(struct nest *nest)
{
	export_nest_release(nest);
}

struct nest_task *nest_task_of(struct nest *nest, int32_t pid, const uint64_t *time)
{
	struct fathom_event event = { .pid = pid, .time = time ? *time : 0 };
	struct nest_task *task = task_of(nest, pid);

	if (task || !time)
		return task;
	return export_nest_get_task(nest, &event);
}

const struct func *nest_func(const struct nest *nest, uint32_t frame)
{
	uint32_t func = nest->frames[frame].func;

	return func == FUNC_NONE ? NULL : &calls_funcs(nest->calls)->list[func];
}

void nest_put_name(const struct nest *nest, uint32_t number, struct strbuf *buf)
{
	const struct nest_frame *frame = &nest->frames[number];

	if (frame->func != FUNC_NONE) {
		func_put_name(nest_func(nest, number), buf);
		if (frame->is_cut)
			strbuf_adds(buf, " (incomplete)");
	} else if (frame->name) {
		strbuf_add(buf, frame->name, strlen(frame->name));
	} else {
		strbuf_addf(buf, "sys_%" PRIu64, frame->number);
	}
}

void nest_put_task(const struct nest_task *task, const struct tasks *known, struct strbuf *buf)
{
	const struct task *found = task->key > 0 ? tasks_find(known, task_key_pid(task->key)) :
						   NULL;

	if (found)
		strbuf_add(buf, found->comm, strlen(found->comm));
	else
		strbuf_addf(buf, "swapper/%" PRId64, task_key_cpu(task->key));
}
