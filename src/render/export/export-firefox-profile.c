/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The profile for the Firefox Profiler while it is collected: tasks, call paths, the periods during
 * which each path was open, and markers. Samples and markers go to the spool. Tasks are identified
 * by their number in struct nest.
 */
#include "render/export/export-firefox.h"

#include <string.h>

#include "base/mem.h"

enum fox_category fox_category(const struct nest *nest, uint32_t frame)
{
	const struct func *func = nest_func(nest, frame);

	if (!func)
		return FOX_SYSCALL;
	if (func->flags & (FUNC_IRQ | FUNC_SOFTIRQ))
		return FOX_INTERRUPT;
	return func->name && strstr(func->name, "schedule") ? FOX_ASLEEP : FOX_KERNEL;
}

uint32_t fox_get_stack(struct fox *fox, uint32_t below, uint32_t frame)
{
	uint32_t place, known = (uint32_t)fox->n_stacks;
	struct fox_stack *stack;

	if (mem_reserve(&fox->stacks, &fox->cap_stacks, fox->n_stacks + 1, sizeof(*fox->stacks)) <
	    0)
		return FOX_NONE;
	place = u64_map_put(&fox->paths, (uint64_t)below << 32 | frame);
	if (place == U64_MAP_NONE || place < known)
		return place == U64_MAP_NONE ? FOX_NONE : place;
	stack = &fox->stacks[fox->n_stacks++];
	*stack = (struct fox_stack){ .below = below,
				     .frame = frame,
				     .category = fox_category(&fox->nest, frame) };
	/* Functions called by interrupts and context switches have the category of their caller. */
	if (below != FOX_NONE && stack->category == FOX_KERNEL &&
	    (fox->stacks[below].category == FOX_INTERRUPT ||
	     fox->stacks[below].category == FOX_ASLEEP)) {
		stack->category = fox->stacks[below].category;
		stack->inherits = true;
	}
	return place;
}

struct fox_task *fox_get_task(struct fox *fox, const struct nest_task *task)
{
	if (task->number >= fox->n_tasks &&
	    mem_reserve(&fox->tasks, &fox->cap_tasks, (size_t)task->number + 1,
			sizeof(*fox->tasks)) < 0) {
		fox->nomem = true;
		return NULL;
	}
	while (fox->n_tasks <= task->number) {
		struct fox_task *own = &fox->tasks[fox->n_tasks];

		*own = (struct fox_task){ .samples = spool_add(&fox->spool),
					  .markers = spool_add(&fox->spool),
					  .stack = FOX_NONE,
					  .since = fox->nest.tasks[fox->n_tasks]->first };
		fox->n_tasks++;
	}
	return &fox->tasks[task->number];
}

void fox_end_sample(struct fox *fox, struct fox_task *task, uint64_t time, bool must)
{
	struct fox_sample sample = { .start = task->since, .stack = task->stack };

	if (time <= task->since && !must)
		return;
	sample.duration = time - task->since;
	spool_write(&fox->spool, task->samples, &sample, sizeof(sample));
	task->n_samples++;
	task->since = time;
}

void fox_add_marker(struct fox *fox, struct fox_task *task, struct fox_marker marker,
		    const char *text)
{
	spool_write(&fox->spool, task->markers, &marker, sizeof(marker));
	spool_write(&fox->spool, task->markers, text, marker.len);
	task->n_markers++;
}
