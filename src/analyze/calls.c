/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/calls-parts.h"
#include "base/mem.h"
#include "base/str.h"

#define CPUS_MAX 65536

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
	free(calls);
}

const struct func_table *calls_funcs(const struct calls *calls)
{
	return &calls->tree.funcs;
}

static struct calls_task *new_task(struct calls *calls, int64_t key)
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
	task = new_task(calls, key);
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

static bool is_interrupt(const struct calls *calls, const struct calls_task *task, uint32_t func)
{
	const struct func *list = calls->tree.funcs.list;
	uint32_t caller = task->n ? task->frames[task->n - 1].func : FUNC_NONE;

	if (list[func].flags & FUNC_IRQ)
		return true;
	return list[func].flags & FUNC_SOFTIRQ && !task->does_softirqs &&
	       !(caller != FUNC_NONE && list[caller].flags & FUNC_SOFTIRQ_TASK);
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
	if (func != FUNC_NONE && is_interrupt(calls, task, func)) {
		flags |= FRAME_IRQ;
		task->irqs++;
	}
	frame = &task->frames[task->n++];
	*frame = (struct calls_frame){ .func = func,
				       .node = node,
				       .flags = flags,
				       .start = time,
				       .stolen_before = task->stolen,
				       .asleep_before = task->asleep };
	return true;
}

static void pop(struct calls_task *task)
{
	task->n--;
	if (task->frames[task->n].flags & FRAME_IRQ)
		task->irqs--;
}

/* What a call took that was open before: it is for those who know its beginning to say. */
static void add_head(struct calls *calls, struct calls_task *task, uint32_t func, uint64_t time,
		     uint64_t duration)
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
		.end = time,
		.duration = duration,
		.child = frame->child,
		.away = frame->away,
		.gap = frame->gap,
		.stolen = task->stolen,
		.asleep = task->asleep,
	};
}

/* The innermost call is not known, and lost events are to blame. Its children get a place. */
static void settle(struct calls *calls, struct calls_task *task, uint32_t func)
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
	}
	call_tree_graft(&calls->tree, above, &calls->tree, frame->node);
}

void calls_cut(struct calls *calls, struct calls_task *task)
{
	const struct calls_frame *frame = &task->frames[task->n - 1];

	if (frame->func != FUNC_NONE)
		call_tree_add_cut(&calls->tree, frame->node);
	else if (frame->flags & FRAME_BASE)
		add_head(calls, task, FUNC_NONE, 0, 0);
	else
		settle(calls, task, FUNC_NONE);
	pop(task);
	/* How long it took is not known, so it is not known either what its caller took itself. */
	if (task->n)
		task->frames[task->n - 1].flags |= FRAME_GAP;
}

static void complete(struct calls *calls, struct calls_task *task, uint64_t duration)
{
	const struct calls_frame *frame = &task->frames[task->n - 1];
	uint64_t elsewhere = frame->child + frame->away;
	struct call_times times = {
		.total = duration,
		.own = frame->flags & FRAME_GAP || elsewhere > duration ? 0 : duration - elsewhere,
		.stolen = task->stolen - frame->stolen_before,
		.asleep = task->asleep - frame->asleep_before,
	};

	call_tree_add(&calls->tree, frame->node, &times);
	if (calls->options.ended) {
		const struct instance instance = { .start = frame->start,
						   .duration = duration,
						   .pid = task->key > 0 ? (int32_t)task->key : 0,
						   .cpu = task->cpu };

		calls->options.ended(calls->options.ended_data, frame->func, &instance);
	}
	/* Interrupts inside of this one are a part of it. */
	if (frame->flags & FRAME_IRQ)
		task->stolen = frame->stolen_before + duration;
}

/* Is the end that of the call that is open? After lost events it may be that of a later one. */
static bool is_same(const struct calls_frame *frame, uint32_t func, uint64_t time,
		    uint64_t duration)
{
	if (frame->func != func)
		return false;
	return !(frame->flags & FRAME_GAP) || !frame->gap || time - duration <= frame->gap;
}

void calls_close(struct calls *calls, struct calls_task *task, uint32_t func, uint64_t time,
		 uint64_t duration)
{
	struct calls_frame *frame = &task->frames[task->n - 1];

	if (frame->func == FUNC_NONE && frame->flags & FRAME_BASE) {
		/* Its caller hears of it from who knows the beginning. */
		add_head(calls, task, func, time, duration);
		pop(task);
		return;
	}
	if (frame->func == FUNC_NONE) {
		settle(calls, task, func);
		pop(task);
	} else if (is_same(frame, func, time, duration)) {
		complete(calls, task, duration);
		pop(task);
	} else {
		uint32_t node;

		calls_cut(calls, task);
		node = call_tree_child(&calls->tree, innermost_node(task), func);
		if (node == CALL_NONE)
			calls->nomem = true;
		else
			call_tree_add_cut(&calls->tree, node);
	}
	if (task->n)
		task->frames[task->n - 1].child += duration;
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

/* Before anything is done with an event of a task. NULL without memory. */
static struct calls_task *touch(struct calls *calls, int32_t pid, const struct fathom_event *event,
				enum calls_first first)
{
	struct calls_task *task = calls_task(calls, pid ? pid : -1 - (int64_t)event->cpu);
	struct calls_cpu *cpu = calls_cpu(calls, event->cpu);

	if (!task || !cpu)
		return NULL;
	task->is_first = !task->first;
	if (!task->first) {
		task->first = first;
		task->first_time = event->time;
		task->first_cpu = event->cpu;
	} else if (calls->cpus[task->cpu].gaps != task->cpu_gaps || cpu->last_gap > task->last) {
		calls_task_gap(task, task->last);
	}
	/*
	 * What does something is on a CPU, whatever was recorded of that; but the last functions
	 * of switching come after the event that tells of it, and it is gone only after them.
	 */
	if (first != CALLS_FIRST_SWITCHED_IN) {
		task->off_known = task->off_known && task->cpu == event->cpu;
		task->off_since = event->time;
	}
	task->cpu = event->cpu;
	task->cpu_gaps = cpu->gaps;
	task->before = task->last;
	task->last = event->time;
	return task;
}

static void feed_call(struct calls *calls, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	uint32_t func = func_table_find(&calls->tree.funcs, happening->call.func);
	bool is_end = happening->kind == HAPPENING_RETURN;
	int open = happening->call.depth + is_end;
	struct calls_task *task;

	if (calls->buffer < 0)
		calls->buffer = event->buffer;
	if (event->buffer != calls->buffer || open < 0 || open > CALLS_DEPTH_MAX)
		return;
	task = touch(calls, event->pid, event, CALLS_FIRST_OTHER);
	if (!task || func == FUNC_NONE) {
		calls->nomem = true;
		return;
	}
	if (!task->has_calls) {
		task->has_calls = true;
		while (task->n < (size_t)open)
			if (!calls_push(calls, task, FUNC_NONE, event->time, FRAME_BASE))
				return;
	}
	calls_adjust(calls, task, open, event->time);
	if (task->n != (size_t)open)
		return;
	if (is_end)
		calls_close(calls, task, func, event->time, happening->call.duration);
	else
		calls_push(calls, task, func, event->time, 0);
}

void calls_switch_in(struct calls_task *task, uint64_t last, uint64_t time)
{
	if (task->off_known) {
		task->asleep += time - task->off_since;
		calls_task_away(task, time - task->off_since);
	} else {
		/* When it went, and what it did before, was lost. */
		calls_task_gap(task, last);
	}
	task->off_known = false;
}

static void feed_switch(struct calls *calls, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	struct calls_task *task;

	if (happening->sched.prev_pid) {
		task = touch(calls, happening->sched.prev_pid, event, CALLS_FIRST_OTHER);
		if (!task)
			return;
		task->off_known = true;
		task->off_since = event->time;
	}
	if (happening->sched.next_pid) {
		task = touch(calls, happening->sched.next_pid, event, CALLS_FIRST_SWITCHED_IN);
		if (task && !task->is_first)
			calls_switch_in(task, task->before, event->time);
	}
}

/* Where interrupts are seen as calls, their events tell nothing more. */
void calls_end_irq(const struct calls_cpu *cpu, struct calls_task *task, uint64_t time)
{
	if (task->key != cpu->irq_task || task->irqs || task->does_softirqs)
		return;
	task->stolen += time - cpu->irq_start;
	calls_task_away(task, time - cpu->irq_start);
}

static void feed_irq(struct calls *calls, const struct happening *happening, bool is_entry)
{
	const struct fathom_event *event = happening->event;
	struct calls_cpu *cpu = calls_cpu(calls, event->cpu);
	struct calls_task *task = touch(calls, event->pid, event, CALLS_FIRST_OTHER);

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
	} else if (!cpu->irq_seen && !cpu->gaps) {
		cpu->has_irq_head = true;
		cpu->irq_head_end = event->time;
		cpu->irq_head_task = task->key;
	}
	cpu->irq_seen = true;
}

static void feed_gap(struct calls *calls, const struct fathom_event *event)
{
	struct calls_cpu *cpu = calls_cpu(calls, event->cpu);

	if (!cpu)
		return;
	cpu->gaps++;
	cpu->last_gap = event->time;
	if (!cpu->first_gap)
		cpu->first_gap = event->time;
	cpu->irqs = 0;
}

void calls_feed(struct calls *calls, const struct happening *happening)
{
	if (happening->event->missed)
		feed_gap(calls, happening->event);
	switch (happening->kind) {
	case HAPPENING_CALL:
	case HAPPENING_RETURN:
		feed_call(calls, happening);
		break;
	case HAPPENING_SWITCH:
		feed_switch(calls, happening);
		break;
	case HAPPENING_IRQ_ENTRY:
	case HAPPENING_SOFTIRQ_ENTRY:
		feed_irq(calls, happening, true);
		break;
	case HAPPENING_IRQ_EXIT:
	case HAPPENING_SOFTIRQ_EXIT:
		feed_irq(calls, happening, false);
		break;
	default:
		break;
	}
}
