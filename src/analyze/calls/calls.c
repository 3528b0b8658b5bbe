/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/calls/calls-parts.h"
#include "analyze/calls/open-calls.h"
#include "analyze/stream/task-key.h"
#include "base/mem.h"
#include "base/str.h"

#define CPUS_MAX 65536
/* Maximum distance between the start of a call and the event of its entry, in ns. */
#define START_SLACK 1000000

int calls_new(const struct calls_options *options, struct calls **ret_calls)
{
	struct calls *calls = mem_zalloc(1, sizeof(*calls));

	if (!calls)
		return -ENOMEM;
	calls->buffer = -1;
	calls->options = *options;
	if (call_tree_init(&calls->tree, options->kallsyms, options->with_spread) < 0) {
		calls_free(calls);
		return -ENOMEM;
	}
	*ret_calls = calls;
	return 0;
}

void calls_free(struct calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < calls->n_tasks; i++) {
		free(calls->list[i]->frames);
		free(calls->list[i]->heads);
		free(calls->list[i]);
	}
	u64_map_done(&calls->places);
	call_tree_done(&calls->tree);
	free(calls->list);
	free(calls->cpus);
	gaps_done(&calls->gaps);
	free(calls);
}

const struct func_table *calls_funcs(const struct calls *calls)
{
	return &calls->tree.funcs;
}

uint32_t calls_func(struct calls *calls, uint64_t address)
{
	return func_table_find(&calls->tree.funcs, address);
}

static struct calls_task *calls_new_task(struct calls *calls, int64_t key)
{
	struct calls_task *task = mem_zalloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->key = key;
	if (calls->options.tasks && key > 0)
		task->does_softirqs =
			str_after(tasks_find(calls->options.tasks, (int32_t)key)->comm,
				  "ksoftirqd/") != NULL;
	return task;
}

struct calls_task *calls_task(struct calls *calls, int64_t key)
{
	uint32_t place = u64_map_get(&calls->places, (uint64_t)key);
	struct calls_task *task;

	if (place != U64_MAP_NONE)
		return calls->list[place];
	task = calls_new_task(calls, key);
	if (!task ||
	    mem_reserve(&calls->list, &calls->cap_tasks, calls->n_tasks + 1, sizeof(void *)) < 0 ||
	    u64_map_put(&calls->places, (uint64_t)key) == U64_MAP_NONE) {
		calls->nomem = true;
		free(task);
		return NULL;
	}
	calls->list[calls->n_tasks++] = task;
	return task;
}

struct calls_cpu *calls_cpu(struct calls *calls, uint32_t cpu)
{
	if (cpu < calls->n_cpus)
		return &calls->cpus[cpu];
	if (cpu >= CPUS_MAX || mem_reserve(&calls->cpus, &calls->cap_cpus, cpu + (size_t)1,
					   sizeof(*calls->cpus)) < 0) {
		calls->nomem = true;
		return NULL;
	}
	memset(&calls->cpus[calls->n_cpus], 0,
	       (cpu + (size_t)1 - calls->n_cpus) * sizeof(*calls->cpus));
	calls->n_cpus = cpu + (size_t)1;
	return &calls->cpus[cpu];
}

static uint32_t innermost_node(const struct calls_task *task)
{
	return task->n ? task->frames[task->n - 1].node : CALL_ROOT;
}

static bool calls_is_interrupt(const struct calls *calls, const struct calls_task *task,
			       uint32_t func)
{
	const struct func *list = calls->tree.funcs.list;
	uint32_t caller = task->n ? task->frames[task->n - 1].func : FUNC_NONE;

	if (list[func].flags & FUNC_IRQ)
		return true;
	return list[func].flags & FUNC_SOFTIRQ && !task->does_softirqs &&
	       !(caller != FUNC_NONE && list[caller].flags & FUNC_SOFTIRQ_TASK);
}

/*
 * Returns the number of the outermost call around the next frame, or of that frame itself. Calls
 * made by user functions are separate; a kernel function acts for its caller.
 */
static uint64_t number_of_outermost(struct calls *calls, const struct calls_task *task)
{
	const struct calls_frame *above = task->n ? &task->frames[task->n - 1] : NULL;

	return above && !(above->flags & FRAME_USER) ? above->outermost : ++calls->outermost;
}

static bool calls_is_elsewhere(const struct calls *calls, const struct calls_frame *caller)
{
	return caller->flags & FRAME_ELSEWHERE ||
	       (caller->func != FUNC_NONE &&
		calls->tree.funcs.list[caller->func].flags & FUNC_SWITCH);
}

bool calls_push(struct calls *calls, struct calls_task *task, uint32_t func, uint64_t time,
		unsigned flags)
{
	struct calls_frame *frame;
	uint32_t node = func == FUNC_NONE ?
				call_tree_detached(&calls->tree) :
				call_tree_child(&calls->tree, innermost_node(task), func);

	if (node == CALL_NONE ||
	    mem_reserve(&task->frames, &task->cap, task->n + 1, sizeof(*task->frames)) < 0) {
		calls->nomem = true;
		return false;
	}
	if (func != FUNC_NONE && calls_is_interrupt(calls, task, func)) {
		flags |= FRAME_IRQ | FRAME_ELSEWHERE;
		task->irqs++;
		calls->tree.interrupts++;
	}
	if (task->n && calls_is_elsewhere(calls, &task->frames[task->n - 1]))
		flags |= FRAME_ELSEWHERE;
	frame = &task->frames[task->n];
	*frame = (struct calls_frame){ .func = func,
				       .node = node,
				       .flags = flags,
				       .start = time,
				       .outermost = number_of_outermost(calls, task),
				       .stolen_before = task->stolen,
				       .asleep_before = task->asleep,
				       .waiting_before = task->waiting };
	task->n++;
	if (calls->options.watch)
		calls->options.watch->began(calls->options.watch->data, task->key, func, time);
	return true;
}

static void calls_pop(struct calls *calls, struct calls_task *task, const struct call_end *end)
{
	if (calls->options.watch) {
		struct call_end passed = *end;

		passed.no_start = task->frames[task->n - 1].func == FUNC_NONE;
		passed.is_interrupt = task->frames[task->n - 1].flags & FRAME_IRQ;
		passed.is_inherited = task->frames[task->n - 1].flags & FRAME_INHERITED;
		calls->options.watch->ended(calls->options.watch->data, task->key, &passed);
	}
	task->n--;
	if (task->frames[task->n].flags & FRAME_IRQ)
		task->irqs--;
}

/*
 * Keeps the end of a call that was open before this part, to be merged with its beginning.
 */
static void add_head(struct calls *calls, struct calls_task *task, uint32_t func,
		     const struct calls_end *recorded)
{
	const struct calls_frame *frame = &task->frames[task->n - 1];

	if (mem_reserve(&task->heads, &task->cap_heads, task->n_heads + 1, sizeof(*task->heads)) <
	    0) {
		calls->nomem = true;
		return;
	}
	task->heads[task->n_heads++] = (struct calls_head){
		.func = func,
		.node = frame->node,
		.depth = (int)task->n - 1,
		.flags = frame->flags,
		.end = *recorded,
		.child = frame->child,
		.inner = frame->inner,
		.away = frame->away,
		.gap = frame->gap,
		.stolen = task->stolen,
		.asleep = task->asleep,
		.waiting = task->waiting,
	};
}

/* Finds a place for the callees of an innermost call that is unknown because of lost events. */
static void calls_settle(struct calls *calls, struct calls_task *task, uint32_t func)
{
	const struct calls_frame *frame = &task->frames[task->n - 1];
	uint32_t above = task->n > 1 ? task->frames[task->n - 2].node : CALL_ROOT;

	if (func != FUNC_NONE) {
		above = call_tree_child(&calls->tree, above, func);
		if (above == CALL_NONE) {
			calls->nomem = true;
			return;
		}
		call_tree_add_cut(&calls->tree, above);
		call_tree_add_cut_inner(&calls->tree, above, &frame->inner);
	}
	call_tree_graft(&calls->tree, above, &calls->tree, frame->node);
}

/*
 * Assigns calls recorded before the entry event of the innermost call to that call, if it had begun
 * by then, or to its caller.
 */
static void place_early(struct calls *calls, struct calls_task *task, bool had_begun)
{
	struct calls_frame *frame = &task->frames[task->n - 1];
	struct calls_frame *caller = task->n > 1 ? frame - 1 : NULL;
	const struct calls_early early = frame->early;

	if (!early.is_there)
		return;
	frame->early.is_there = false;
	if (had_begun)
		frame->stolen_before -= early.stolen;
	else
		frame = caller;
	call_tree_graft(&calls->tree, frame ? frame->node : CALL_ROOT, &calls->tree, early.node);
	if (!frame)
		return;
	frame->child += early.child;
	call_times_add(&frame->inner, &early.inner);
}

void calls_cut(struct calls *calls, struct calls_task *task)
{
	const struct calls_frame *frame = &task->frames[task->n - 1];
	struct call_times inner;

	place_early(calls, task, true);
	inner = frame->inner;
	if (frame->func != FUNC_NONE) {
		if (!(frame->flags & FRAME_INHERITED))
			call_tree_add_cut(&calls->tree, frame->node);
		call_tree_add_cut_inner(&calls->tree, frame->node, &inner);
	} else if (frame->flags & FRAME_BASE)
		add_head(calls, task, FUNC_NONE, &(struct calls_end){ 0 });
	else
		calls_settle(calls, task, FUNC_NONE);
	calls_pop(calls, task,
		  &(struct call_end){ .func = frame->func,
				      .no_end = true,
				      .start = frame->start,
				      .end = frame->gap ? frame->gap : task->before });
	/* Its duration is unknown, and so is the self time of its caller. */
	if (task->n) {
		task->frames[task->n - 1].flags |= FRAME_GAP;
		call_times_add(&task->frames[task->n - 1].inner, &inner);
	}
}

static struct call_times calls_complete(struct calls *calls, struct calls_task *task,
					const struct calls_end *recorded)
{
	const struct calls_frame *frame = &task->frames[task->n - 1];
	uint64_t duration = recorded->duration;
	uint64_t elsewhere = frame->child + frame->away;
	/* An interrupt came after the call had ended, but before its exit event. */
	uint64_t behind = frame->inner.total > duration ? frame->inner.total - duration : 0;
	struct call_times times = {
		.total = duration,
		.own = frame->flags & FRAME_GAP || elsewhere > duration ? 0 : duration - elsewhere,
		.stolen = task->stolen - frame->stolen_before,
		.asleep = task->asleep - frame->asleep_before,
		.waiting = task->waiting - frame->waiting_before,
	};

	times.stolen -= behind < times.stolen ? behind : times.stolen;
	call_tree_add(&calls->tree, frame->node, &times);
	call_tree_add_cut_inner(&calls->tree, frame->node, &(struct call_times){ .total = behind });
	if (calls->options.with_notes)
		call_tree_note(&calls->tree, frame->node, &times, recorded->time,
			       frame->flags & FRAME_ELSEWHERE ? 0 : frame->outermost);
	if (recorded->has_result)
		call_tree_add_result(&calls->tree, frame->node, recorded->result);
	if (calls->options.ended) {
		const struct instance instance = { .start = frame->start,
						   .duration = duration,
						   .pid = task_key_pid(task->key),
						   .cpu = task->mark.cpu };

		calls->options.ended(calls->options.ended_data, frame->func, &instance);
	}
	/* Nested interrupts are a part of this one. */
	if (frame->flags & FRAME_IRQ)
		task->stolen = frame->stolen_before + duration;
	return times;
}

/* Adds the end of a call whose entry was lost, along with its callees. */
static void add_end(struct calls *calls, struct calls_task *task, const struct call_end *end)
{
	const struct calls_watch *watch = calls->options.watch;
	uint32_t node = call_tree_child(&calls->tree, innermost_node(task), end->func);
	struct call_end passed = *end;

	if (node == CALL_NONE)
		calls->nomem = true;
	else
		call_tree_add_cut(&calls->tree, node);
	if (!watch)
		return;
	passed.no_start = true;
	watch->began(watch->data, task->key, FUNC_NONE, task->mark.time);
	watch->ended(watch->data, task->key, &passed);
}

void calls_close(struct calls *calls, struct calls_task *task, uint32_t func,
		 const struct calls_end *recorded)
{
	struct calls_frame *frame = &task->frames[task->n - 1];
	struct call_end end = { .func = func,
				.start = recorded->end - recorded->duration,
				.end = recorded->end,
				.times.total = recorded->duration };
	struct call_times counted;
	uint64_t taken = recorded->duration;

	place_early(calls, task, end.start <= frame->start);
	counted = frame->inner;
	if (frame->func == FUNC_NONE && frame->flags & FRAME_BASE) {
		/* Its caller is updated when it is merged with its beginning. */
		add_head(calls, task, func, recorded);
		calls_pop(calls, task, &end);
		return;
	}
	if (frame->func == FUNC_NONE) {
		calls_settle(calls, task, func);
		calls_pop(calls, task, &end);
	} else if (open_call_ends(frame->func, frame->gap, func,
				  recorded->time - recorded->duration)) {
		end.has_times = !(frame->flags & FRAME_GAP);
		end.times = calls_complete(calls, task, recorded);
		/* Whatever came after it counts for its caller. */
		taken = counted.total > taken ? counted.total : taken;
		counted = end.times;
		counted.total = taken;
		calls_pop(calls, task, &end);
	} else {
		calls_cut(calls, task);
		add_end(calls, task, &end);
		counted = (struct call_times){ 0 };
	}
	if (task->n) {
		task->frames[task->n - 1].child += taken;
		call_times_add(&task->frames[task->n - 1].inner, &counted);
	}
}

void calls_adjust(struct calls *calls, struct calls_task *task, int n, uint64_t time)
{
	while (task->n > (size_t)n)
		calls_cut(calls, task);
	while (task->n < (size_t)n)
		if (!calls_push(calls, task, FUNC_NONE, time, 0))
			return;
}

void calls_task_gap(struct calls_task *task, uint64_t time)
{
	task->off_known = false;
	task->returning = 0;
	if (!task->has_calls && !task->early_gap)
		task->early_gap = time;
	for (size_t i = 0; i < task->n; i++) {
		struct calls_frame *frame = &task->frames[i];

		if (!frame->gap)
			frame->gap = time;
		frame->flags |= FRAME_GAP;
	}
}

void calls_task_away(struct calls_task *task, uint64_t time)
{
	if (task->n)
		task->frames[task->n - 1].away += time;
	else if (!task->has_calls)
		task->away += time;
}

/* Must be called first for each event of a task. Returns NULL if memory is exhausted. */
static struct calls_task *calls_touch(struct calls *calls, int32_t pid,
				      const struct fathom_event *event, enum calls_first first)
{
	struct calls_task *task = calls_task(calls, task_key(pid, event->cpu));
	struct gaps_mark mark;

	if (!task || !calls_cpu(calls, event->cpu))
		return NULL;
	mark = task->mark;
	task->is_first = !task->first;
	if (!task->first) {
		task->first = first;
		task->first_time = event->time;
		task->first_cpu = event->cpu;
	}
	if (gaps_crossed(&calls->gaps, &task->mark, event->cpu, event->time) && !task->is_first)
		calls_task_gap(task, mark.time);
	/*
	 * An active task is on a CPU, even if no switch to it was recorded. But the last functions
	 * of a switch follow its event, and only then is the task off the CPU.
	 */
	if (first != CALLS_FIRST_SWITCHED_IN) {
		task->off_known = task->off_known && mark.cpu == event->cpu;
		task->off_since = event->time;
	}
	task->before = mark.time;
	return task;
}

/* Returns the level of the event; see open-calls.h. */
static int real_level(const struct calls *calls, struct calls_task *task, uint32_t func, int level,
		      bool is_end)
{
	const struct calls_frame *last = task->n ? &task->frames[task->n - 1] : NULL;
	const struct open_calls open = {
		.n = task->n,
		.innermost = last ? last->func : FUNC_NONE,
		.may_return = last && !(last->flags & (FRAME_GAP | FRAME_IRQ | FRAME_USER)),
	};
	const struct call_edge edge = { .func = func,
					.level = level,
					.is_interrupt = calls->tree.funcs.list[func].flags &
							FUNC_IRQ,
					.is_exit = is_end };

	return open_calls_level(&open, &edge, &task->returning);
}

/* This is the call whose entry event was preceded by interrupts. */
static void name_late(struct calls *calls, struct calls_task *task, uint32_t func)
{
	struct calls_frame *frame = &task->frames[task->n - 1];
	uint32_t above = task->n > 1 ? task->frames[task->n - 2].node : CALL_ROOT;
	uint32_t node = call_tree_child(&calls->tree, above, func);

	if (node == CALL_NONE) {
		calls->nomem = true;
		return;
	}
	frame->early = (struct calls_early){ .is_there = true,
					     .node = frame->node,
					     .child = frame->child,
					     .stolen = task->stolen - frame->stolen_before,
					     .inner = frame->inner };
	frame->func = func;
	frame->node = node;
	frame->child = 0;
	frame->inner = (struct call_times){ 0 };
	frame->stolen_before = task->stolen;
	frame->flags &= ~(unsigned)FRAME_LATE;
}

static bool calls_is_late(const struct calls_task *task, int level)
{
	const struct calls_frame *frame = task->n > (size_t)level ? &task->frames[level] : NULL;

	return frame && frame->func == FUNC_NONE && frame->flags & FRAME_LATE &&
	       !(frame->flags & FRAME_GAP);
}

/*
 * Handles a user function. Its duration is known only from its two events: if events were lost in
 * between, the two may belong to different calls.
 */
static void calls_feed_user(struct calls *calls, struct calls_task *task, uint32_t func,
			    const struct decoded_event *decoded)
{
	uint64_t time = decoded->event->time;
	const struct calls_end recorded = { .time = time,
					    .duration = decoded->call.duration,
					    .end = time };
	const struct calls_frame *last;

	if (decoded->kind == DECODED_CALL) {
		if (calls_push(calls, task, func, time, FRAME_USER) && decoded->call.no_start) {
			task->frames[task->n - 1].flags |= FRAME_GAP | FRAME_INHERITED;
			task->frames[task->n - 1].gap = time;
		}
		return;
	}
	last = &task->frames[task->n - 1];
	if (last->func == func && last->gap)
		calls_cut(calls, task);
	else
		calls_close(calls, task, func, &recorded);
}

/* The event is written some time after the call has ended, and an interrupt may come in between. */
static uint64_t end_time(const struct calls *calls, const struct decoded_event *decoded)
{
	uint64_t time = decoded->event->time;
	uint64_t end = decoded->call.end + (uint64_t)calls->options.clock_offset;

	return calls->options.is_local_clock && decoded->call.end && end < time ? end : time;
}

static struct calls_task *calls_known_task(const struct calls *calls, int32_t pid)
{
	uint32_t place = pid > 0 ? u64_map_get(&calls->places, (uint64_t)pid) : U64_MAP_NONE;

	return place == U64_MAP_NONE ? NULL : calls->list[place];
}

/* Returns whether all open calls of the task are known. */
static bool has_all(const struct calls *calls, const struct calls_task *task)
{
	return task && task->has_calls && !gaps_since(&calls->gaps, &task->mark) &&
	       !(task->n && task->frames[task->n - 1].flags & FRAME_GAP);
}

static bool is_innermost(const struct calls_task *task, uint32_t func, int level)
{
	return task->n == (size_t)level + 1 && task->frames[level].func == func;
}

/* Returns whether this is the exit of the innermost call of @task. */
static bool ends_innermost(const struct calls_task *task, uint32_t func,
			   const struct decoded_event *decoded)
{
	uint64_t start = decoded->event->time - decoded->call.duration, begun;

	if (!is_innermost(task, func, decoded->call.depth))
		return false;
	begun = task->frames[task->n - 1].start;
	return start < begun ? begun - start < START_SLACK : start - begun < START_SLACK;
}

static void calls_exchange(struct calls *calls, struct calls_task *task, struct calls_task *other)
{
	const struct calls_watch *watch = calls->options.watch;
	int64_t key = task->key;

	task->key = other->key;
	other->key = key;
	calls->list[u64_map_get(&calls->places, (uint64_t)task->key)] = task;
	calls->list[u64_map_get(&calls->places, (uint64_t)other->key)] = other;
	for (size_t i = 0; i < calls->n_cpus; i++) {
		struct calls_cpu *cpu = &calls->cpus[i];

		cpu->pid = cpu->pid == key	 ? (int32_t)task->key :
			   cpu->pid == task->key ? (int32_t)key :
						   cpu->pid;
	}
	if (watch)
		watch->exchanged(watch->data, key, task->key);
}

/*
 * Handles an exit from a call that its task is not in, on a CPU where another task is in that call:
 * the other task has executed a program, and exchanged pids with the first thread of its process.
 */
static void notice_exchange(struct calls *calls, const struct decoded_event *decoded, uint32_t func)
{
	const struct fathom_event *event = decoded->event;
	const struct calls_watch *watch = calls->options.watch;
	struct calls_cpu *cpu = event->cpu < calls->n_cpus ? &calls->cpus[event->cpu] : NULL;
	struct calls_task *task, *first;

	if (!cpu || !cpu->pid || cpu->pid == event->pid || (watch && !watch->exchanged))
		return;
	task = calls_known_task(calls, cpu->pid);
	first = calls_known_task(calls, event->pid);
	if (!has_all(calls, task) || task->mark.cpu != event->cpu || !has_all(calls, first) ||
	    !ends_innermost(task, func, decoded) ||
	    is_innermost(first, func, decoded->call.depth) ||
	    is_innermost(first, FUNC_NONE, decoded->call.depth))
		return;
	calls_exchange(calls, task, first);
}

static void calls_feed_call(struct calls *calls, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	uint32_t func = func_table_find(&calls->tree.funcs, decoded->call.func);
	bool is_end = decoded->kind == DECODED_RETURN;
	int level = decoded->call.depth, open;
	struct calls_task *task;
	bool late;

	if (calls->buffer < 0)
		calls->buffer = event->buffer;
	if (event->buffer != calls->buffer || level < 0 || level >= CALLS_DEPTH_MAX)
		return;
	if (is_end && !decoded->call.is_user)
		notice_exchange(calls, decoded, func);
	task = calls_touch(calls, event->pid, event, CALLS_FIRST_OTHER);
	if (!task || func == FUNC_NONE) {
		calls->nomem = true;
		return;
	}
	if (!calls->cpus[event->cpu].has_switches)
		calls->cpus[event->cpu].pid = event->pid;
	if (!is_end && !decoded->call.is_user && calls_is_late(task, level)) {
		calls_adjust(calls, task, level + 1, event->time);
		name_late(calls, task, func);
		return;
	}
	open = real_level(calls, task, func, level, is_end) + is_end;
	if (!task->has_calls) {
		task->has_calls = true;
		while (task->n < (size_t)open)
			if (!calls_push(calls, task, FUNC_NONE, event->time, FRAME_BASE))
				return;
	}
	late = !is_end && (size_t)open == task->n + 1 &&
	       calls->tree.funcs.list[func].flags & FUNC_IRQ;
	calls_adjust(calls, task, open, event->time);
	if (task->n != (size_t)open)
		return;
	if (late)
		task->frames[task->n - 1].flags |= FRAME_LATE;
	if (decoded->call.is_user)
		calls_feed_user(calls, task, func, decoded);
	else if (is_end)
		calls_close(calls, task, func,
			    &(struct calls_end){ .time = event->time,
						 .duration = decoded->call.duration,
						 .end = end_time(calls, decoded),
						 .result = decoded->call.result,
						 .has_result = decoded->call.has_more });
	else
		calls_push(calls, task, func, event->time, 0);
}

void calls_switch_in(struct calls_task *task, uint64_t last, uint64_t time)
{
	if (task->off_known) {
		task->asleep += time - task->off_since;
		if (task->runnable_since > task->off_since)
			task->waiting += time - task->runnable_since;
		else if (task->runnable_since)
			task->waiting += time - task->off_since;
		calls_task_away(task, time - task->off_since);
	} else {
		/* The switch away from it and its activity before that were lost. */
		calls_task_gap(task, last);
	}
	task->off_known = false;
	task->runnable_since = 0;
}

/*
 * Exchanges pids if the switch shows that they were exchanged: the task that leaves the CPU has a
 * different pid than the one that was switched to. It is either the thread that executes a program,
 * after the end of the first thread, or the first thread, which ends while the other runs
 * elsewhere.
 */
static void notice_exchange_at_switch(struct calls *calls, const struct calls_cpu *cpu,
				      const struct decoded_event *decoded)
{
	const struct calls_watch *watch = calls->options.watch;
	int32_t pid = decoded->sched.prev_pid;
	struct calls_task *came = calls_known_task(calls, cpu->pid), *goes;

	if (!cpu->has_switches || cpu->pid == pid || !came || (watch && !watch->exchanged))
		return;
	goes = calls_known_task(calls, pid);
	if (!goes || came->mark.cpu != decoded->event->cpu)
		return;
	if (decoded->sched.prev != TASK_STATE_DEAD) {
		if (goes->dead && came->n)
			calls_exchange(calls, came, goes);
	} else if (goes->n && goes->mark.cpu != came->mark.cpu &&
		   calls->cpus[goes->mark.cpu].pid == pid) {
		calls_exchange(calls, goes, came);
	}
}

static void calls_feed_switch(struct calls *calls, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct calls_cpu *cpu = calls_cpu(calls, event->cpu);
	struct calls_task *task;

	if (!cpu)
		return;
	notice_exchange_at_switch(calls, cpu, decoded);
	cpu->has_switches = true;
	cpu->pid = decoded->sched.next_pid;
	if (decoded->sched.prev_pid) {
		task = calls_touch(calls, decoded->sched.prev_pid, event, CALLS_FIRST_OTHER);
		if (!task)
			return;
		calls->tree.switches++;
		task->off_known = true;
		task->dead = decoded->sched.prev == TASK_STATE_DEAD;
		task->off_since = event->time;
		task->runnable_since = decoded->sched.prev == TASK_STATE_RUNNABLE ? event->time : 0;
	}
	if (decoded->sched.next_pid) {
		task = calls_touch(calls, decoded->sched.next_pid, event, CALLS_FIRST_SWITCHED_IN);
		if (task && !task->is_first)
			calls_switch_in(task, task->before, event->time);
	}
}

/* The task is runnable from now on, and its last functions before the switch are over. */
static void feed_wakeup(struct calls *calls, const struct decoded_event *decoded)
{
	uint32_t place = u64_map_get(&calls->places, (uint64_t)decoded->task.pid);
	struct calls_task *task = place != U64_MAP_NONE ? calls->list[place] : NULL;

	if (task && task->off_known && !task->runnable_since)
		task->runnable_since = decoded->event->time;
}

/* If interrupts are recorded as calls, their events are redundant. */
void calls_end_irq(const struct calls_cpu *cpu, struct calls_task *task, uint64_t time)
{
	if (task->key != cpu->irq_task || task->irqs || task->does_softirqs)
		return;
	task->stolen += time - cpu->irq_start;
	calls_task_away(task, time - cpu->irq_start);
}

static void calls_feed_irq(struct calls *calls, const struct decoded_event *decoded, bool is_entry)
{
	const struct fathom_event *event = decoded->event;
	struct calls_cpu *cpu = calls_cpu(calls, event->cpu);
	struct calls_task *task = calls_touch(calls, event->pid, event, CALLS_FIRST_OTHER);

	if (!cpu || !task)
		return;
	if (is_entry) {
		if (cpu->irqs++ == 0) {
			cpu->irq_start = event->time;
			cpu->irq_task = task->key;
		}
	} else if (cpu->irqs) {
		if (--cpu->irqs == 0)
			calls_end_irq(cpu, task, event->time);
	} else if (!cpu->irq_seen && !gaps_at(&calls->gaps, event->cpu).count) {
		cpu->has_irq_head = true;
		cpu->irq_head_end = event->time;
		cpu->irq_head_task = task->key;
	}
	cpu->irq_seen = true;
}

static void calls_feed_gap(struct calls *calls, const struct decoded_event *decoded)
{
	struct calls_cpu *cpu = calls_cpu(calls, decoded->event->cpu);

	gaps_note(&calls->gaps, decoded);
	if (!cpu)
		return;
	cpu->irqs = 0;
	cpu->pid = 0;
}

void calls_feed(struct calls *calls, const struct decoded_event *decoded)
{
	if (decoded_has_gap(decoded))
		calls_feed_gap(calls, decoded);
	switch (decoded->kind) {
	case DECODED_CALL:
	case DECODED_RETURN:
		calls_feed_call(calls, decoded);
		break;
	case DECODED_SWITCH:
		calls_feed_switch(calls, decoded);
		break;
	case DECODED_WAKING:
	case DECODED_WAKEUP:
		feed_wakeup(calls, decoded);
		break;
	case DECODED_IRQ_ENTRY:
	case DECODED_SOFTIRQ_ENTRY:
		calls_feed_irq(calls, decoded, true);
		break;
	case DECODED_IRQ_EXIT:
	case DECODED_SOFTIRQ_EXIT:
		calls_feed_irq(calls, decoded, false);
		break;
	default:
		break;
	}
}
