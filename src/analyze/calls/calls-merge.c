/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the calls of two parts of a trace, and finishes the last part. */
#include <errno.h>

#include "analyze/calls/calls-parts.h"

static uint32_t same_func(struct calls *calls, const struct calls *next, uint32_t func)
{
	if (func == FUNC_NONE)
		return func;
	return func_table_find(&calls->tree.funcs, next->tree.funcs.list[func].address);
}

static void take_gap(struct calls_frame *frame, unsigned flags, uint64_t gap)
{
	frame->flags |= flags & FRAME_GAP;
	if (!frame->gap)
		frame->gap = gap;
}

/* Merges calls that were open at the beginning of @next and ended there. */
static void merge_heads(struct calls *calls, struct calls_task *task, const struct calls *next,
			const struct calls_task *later, struct call_times *seen)
{
	for (size_t i = 0; i < later->n_heads; i++) {
		const struct calls_head *head = &later->heads[i];
		struct calls_frame *frame;

		calls_adjust(calls, task, head->depth + 1, later->first_time);
		if (task->n != (size_t)head->depth + 1)
			return;
		frame = &task->frames[task->n - 1];
		call_tree_graft(&calls->tree, frame->node, &next->tree, head->node);
		frame->child += head->child;
		call_times_add(&frame->inner, &head->inner);
		frame->away += head->away;
		take_gap(frame, head->flags, head->gap);
		task->stolen += head->stolen - seen->stolen;
		task->asleep += head->asleep - seen->asleep;
		task->waiting += head->waiting - seen->waiting;
		seen->stolen = head->stolen;
		seen->asleep = head->asleep;
		seen->waiting = head->waiting;
		if (head->func == FUNC_NONE)
			calls_cut(calls, task);
		else
			calls_close(calls, task, same_func(calls, next, head->func), &head->end);
	}
}

/* Merges calls that were open at the beginning of @next and still are. Returns their number. */
static size_t merge_base(struct calls *calls, struct calls_task *task, const struct calls *next,
			 const struct calls_task *later)
{
	size_t n = 0;

	while (n < later->n && later->frames[n].flags & FRAME_BASE)
		n++;
	calls_adjust(calls, task, (int)n, later->first_time);
	for (size_t i = 0; i < n && i < task->n; i++) {
		const struct calls_frame *from = &later->frames[i];
		struct calls_frame *frame = &task->frames[i];

		call_tree_graft(&calls->tree, frame->node, &next->tree, from->node);
		frame->child += from->child;
		call_times_add(&frame->inner, &from->inner);
		frame->away += from->away;
		take_gap(frame, from->flags, from->gap);
	}
	return n;
}

static void merge_early(struct calls *calls, struct calls_frame *frame, const struct calls *next,
			const struct calls_early *early)
{
	frame->early = *early;
	frame->early.node = call_tree_detached(&calls->tree);
	if (frame->early.node == CALL_NONE)
		frame->early.is_there = false;
	else
		call_tree_graft(&calls->tree, frame->early.node, &next->tree, early->node);
}

/* Merges the open calls that began in @next, from frame @i on. */
static void merge_open(struct calls *calls, struct calls_task *task, const struct calls *next,
		       const struct calls_task *later, size_t i)
{
	for (; i < later->n; i++) {
		const struct calls_frame *from = &later->frames[i];
		struct calls_frame *frame;

		if (!calls_push(calls, task, same_func(calls, next, from->func), from->start,
				from->flags & ~(unsigned)(FRAME_IRQ | FRAME_ELSEWHERE)))
			return;
		frame = &task->frames[task->n - 1];
		if (from->func == FUNC_NONE)
			call_tree_graft(&calls->tree, frame->node, &next->tree, from->node);
		frame->child = from->child;
		frame->inner = from->inner;
		if (from->early.is_there)
			merge_early(calls, frame, next, &from->early);
		frame->away = from->away;
		frame->gap = from->gap;
		frame->stolen_before = task->stolen - (later->stolen - from->stolen_before);
		frame->asleep_before = task->asleep - (later->asleep - from->asleep_before);
		frame->waiting_before = task->waiting - (later->waiting - from->waiting_before);
	}
}

/* These are the first calls of the task: adds those that were already open. */
static void adopt_calls(struct calls *calls, struct calls_task *task,
			const struct calls_task *later)
{
	size_t open = later->n_heads ? (size_t)later->heads[0].depth + 1 : 0;

	while (open < later->n && later->frames[open].flags & FRAME_BASE)
		open++;
	while (task->n < open)
		if (!calls_push(calls, task, FUNC_NONE, later->first_time, FRAME_BASE))
			return;
	task->has_calls = true;
}

static void merge_task(struct calls *calls, const struct calls *next,
		       const struct calls_task *later)
{
	struct calls_task *task = calls_task(calls, later->key);
	struct call_times seen = { 0 };
	size_t n;

	if (!task || !calls_cpu(calls, later->mark.cpu))
		return;
	if (!task->first) {
		task->first = later->first;
		task->first_time = later->first_time;
		task->first_cpu = later->first_cpu;
	} else {
		if (gaps_between(&calls->gaps, &task->mark, &next->gaps, later->first_cpu,
				 later->first_time))
			calls_task_gap(task, task->mark.time);
		if (later->first == CALLS_FIRST_SWITCHED_IN)
			calls_switch_in(task, task->mark.time, later->first_time);
	}
	if (later->early_gap)
		calls_task_gap(task, later->early_gap);
	calls_task_away(task, later->away);
	if (later->has_calls) {
		if (!task->has_calls)
			adopt_calls(calls, task, later);
		merge_heads(calls, task, next, later, &seen);
		n = merge_base(calls, task, next, later);
		task->stolen += later->stolen - seen.stolen;
		task->asleep += later->asleep - seen.asleep;
		task->waiting += later->waiting - seen.waiting;
		merge_open(calls, task, next, later, n);
	} else {
		task->stolen += later->stolen;
		task->asleep += later->asleep;
		task->waiting += later->waiting;
	}
	task->off_known = later->off_known;
	task->off_since = later->off_since;
	task->runnable_since = later->runnable_since;
	task->mark = later->mark;
	task->mark.count += gaps_at(&calls->gaps, later->mark.cpu).count;
}

/* Merges interrupts that are known by their events and were open at the border. */
static void merge_irqs(struct calls *calls, const struct calls *next)
{
	for (size_t i = 0; i < next->n_cpus; i++) {
		struct calls_cpu *cpu = calls_cpu(calls, (uint32_t)i);
		const struct calls_cpu *later = &next->cpus[i];
		struct calls_task *task;

		if (!cpu)
			return;
		if (cpu->irqs && later->has_irq_head) {
			task = calls_task(calls, later->irq_head_task);
			if (task && task->first)
				calls_end_irq(cpu, task, later->irq_head_end);
		}
		if (!later->irq_seen && !gaps_at(&next->gaps, (uint32_t)i).count)
			continue;
		cpu->irqs = later->irqs;
		cpu->irq_start = later->irq_start;
		cpu->irq_task = later->irq_task;
		if (!cpu->irq_seen && !gaps_at(&calls->gaps, (uint32_t)i).count) {
			cpu->has_irq_head = later->has_irq_head;
			cpu->irq_head_end = later->irq_head_end;
			cpu->irq_head_task = later->irq_head_task;
		}
		cpu->irq_seen |= later->irq_seen;
	}
}

int calls_merge(struct calls *calls, struct calls *next)
{
	if (calls->buffer < 0)
		calls->buffer = next->buffer;
	/* Only the calls of one buffer are consistent. */
	if (next->buffer >= 0 && next->buffer != calls->buffer)
		return 0;
	call_tree_graft(&calls->tree, CALL_ROOT, &next->tree, CALL_ROOT);
	merge_irqs(calls, next);
	for (size_t i = 0; i < next->n_tasks; i++)
		merge_task(calls, next, next->list[i]);
	gaps_append(&calls->gaps, &next->gaps);
	calls->tree.switches += next->tree.switches;
	calls->tree.interrupts += next->tree.interrupts;
	calls->nomem |= next->nomem || next->tree.nomem || next->gaps.nomem;
	return calls->nomem || calls->tree.nomem || calls->gaps.nomem ? -ENOMEM : 0;
}

/* Places the calls that were open before the trace began, outermost first. */
static void finish_heads(struct calls *calls, struct calls_task *task)
{
	uint32_t node = CALL_ROOT;

	/* Each was nested in the next. */
	for (size_t i = 1; i < task->n_heads; i++)
		call_times_add(&task->heads[i].inner, &task->heads[i - 1].inner);
	for (size_t i = task->n_heads; i > 0 && node != CALL_NONE; i--) {
		const struct calls_head *head = &task->heads[i - 1];

		if (head->func != FUNC_NONE) {
			node = call_tree_child(&calls->tree, node, head->func);
			if (node == CALL_NONE)
				return;
			call_tree_add_cut(&calls->tree, node);
			call_tree_add_cut_inner(&calls->tree, node, &head->inner);
		}
		call_tree_graft(&calls->tree, node, &calls->tree, head->node);
	}
}

int calls_finish(struct calls *calls, const struct call_tree **ret_tree)
{
	for (size_t i = 0; i < calls->n_tasks && !calls->finished; i++) {
		struct calls_task *task = calls->list[i];

		task->before = task->mark.time;
		while (task->n)
			calls_cut(calls, task);
		finish_heads(calls, task);
	}
	calls->finished = true;
	*ret_tree = &calls->tree;
	return calls->nomem || calls->tree.nomem || calls->gaps.nomem ? -ENOMEM : 0;
}
