/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/probe-calls.h"

#include <stdlib.h>

#include "base/mem.h"

/* Deeper nesting than any that makes sense: a function of which returns are missed is in it. */
#define DEPTH_MAX 256

struct probe_frame {
	uint64_t func;
	uint64_t start;
};

struct probe_task {
	struct probe_frame *frames; /* that are open, from the outermost */
	size_t n, cap;
	uint64_t gaps; /* how often events had been lost when it was seen last */
};

/* NULL without memory. */
static struct probe_task *probe_calls_find_task(struct probe_calls *calls,
						const struct fathom_event *event)
{
	int64_t key = event->pid ? event->pid : -1 - (int64_t)event->cpu;
	struct probe_task *task = u64_map_element(&calls->keys, (uint64_t)key, &calls->tasks,
						  &calls->n, &calls->cap, sizeof(*task));

	if (!task) {
		calls->nomem = true;
		return NULL;
	}
	if (task->gaps != calls->gaps) {
		task->n = 0;
		task->gaps = calls->gaps;
	}
	return task;
}

static void probe_calls_begin(struct probe_calls *calls, struct happening *happening)
{
	uint64_t func = happening->call.func;
	struct probe_task *task;

	happening->kind = HAPPENING_OTHER;
	if (u64_map_get(&calls->returning, func) == U64_MAP_NONE)
		return;
	task = probe_calls_find_task(calls, happening->event);
	if (!task)
		return;
	/* Returns can be missed when many tasks are in the function at once. */
	if (task->n == DEPTH_MAX)
		task->n = 0;
	if (mem_reserve(&task->frames, &task->cap, task->n + 1, sizeof(*task->frames)) < 0) {
		calls->nomem = true;
		return;
	}
	happening->kind = HAPPENING_CALL;
	happening->call.depth = (int)task->n;
	happening->call.has_more = true;
	task->frames[task->n++] =
		(struct probe_frame){ .func = func, .start = happening->event->time };
}

static void probe_calls_end(struct probe_calls *calls, struct happening *happening)
{
	uint64_t func = happening->call.func;
	struct probe_task *task = probe_calls_find_task(calls, happening->event);
	size_t at;

	happening->kind = HAPPENING_OTHER;
	if (u64_map_put(&calls->returning, func) == U64_MAP_NONE)
		calls->nomem = true;
	if (!task)
		return;
	for (at = task->n; at && task->frames[at - 1].func != func; at--)
		;
	if (!at)
		return;
	task->n = at - 1;
	happening->kind = HAPPENING_RETURN;
	happening->call.depth = (int)task->n;
	happening->call.duration = happening->event->time - task->frames[task->n].start;
}

void probe_calls_turn(struct probe_calls *calls, struct happening *happening)
{
	struct probe_task *task;

	if (happening->event->missed)
		calls->gaps++;
	switch (happening->kind) {
	case HAPPENING_CALL:
	case HAPPENING_RETURN:
		calls->has_graph = true;
		break;
	case HAPPENING_PROBE:
	case HAPPENING_PROBE_RETURN:
		if (calls->has_graph)
			happening->kind = HAPPENING_OTHER;
		else if (happening->kind == HAPPENING_PROBE)
			probe_calls_begin(calls, happening);
		else
			probe_calls_end(calls, happening);
		break;
	case HAPPENING_SYSCALL_ENTRY:
		/* Only where there are probes; nobody else needs a place. */
		if (!calls->returning.n)
			break;
		task = probe_calls_find_task(calls, happening->event);
		if (task)
			task->n = 0;
		break;
	default:
		break;
	}
}

void probe_calls_done(struct probe_calls *calls)
{
	for (size_t i = 0; i < calls->n; i++)
		free(calls->tasks[i].frames);
	free(calls->tasks);
	u64_map_done(&calls->keys);
	u64_map_done(&calls->returning);
}
