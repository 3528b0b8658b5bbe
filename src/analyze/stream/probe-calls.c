/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/probe-calls.h"

#include <stdlib.h>

#include "analyze/stream/task-key.h"
#include "base/mem.h"

/* Deeper nesting is attributed to a function whose exits are missed. */
#define DEPTH_MAX 256

struct probe_frame {
	uint64_t func;
	uint64_t start;
};

struct probe_task {
	struct probe_frame *frames; /* open calls, outermost first */
	size_t n, cap;
	uint64_t gaps; /* number of gaps when the task was last seen */
};

/* Returns NULL if memory is exhausted. */
static struct probe_task *probe_calls_find_task(struct probe_calls *calls,
						const struct fathom_event *event)
{
	struct probe_task *task = u64_map_element(&calls->keys, (uint64_t)task_key_of(event),
						  &calls->tasks, &calls->n, &calls->cap,
						  sizeof(*task));

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

static void probe_calls_begin(struct probe_calls *calls, struct decoded_event *decoded)
{
	uint64_t func = decoded->call.func;
	struct probe_task *task;

	decoded->kind = DECODED_OTHER;
	if (u64_map_get(&calls->returning, func) == U64_MAP_NONE)
		return;
	task = probe_calls_find_task(calls, decoded->event);
	if (!task)
		return;
	/* Exits are missed if too many tasks are in the function at once. */
	if (task->n == DEPTH_MAX)
		task->n = 0;
	if (mem_reserve(&task->frames, &task->cap, task->n + 1, sizeof(*task->frames)) < 0) {
		calls->nomem = true;
		return;
	}
	decoded->kind = DECODED_CALL;
	decoded->call.depth = (int)task->n;
	decoded->call.has_more = true;
	task->frames[task->n++] =
		(struct probe_frame){ .func = func, .start = decoded->event->time };
}

static void probe_calls_end(struct probe_calls *calls, struct decoded_event *decoded)
{
	uint64_t func = decoded->call.func;
	struct probe_task *task = probe_calls_find_task(calls, decoded->event);
	size_t at;

	decoded->kind = DECODED_OTHER;
	if (u64_map_put(&calls->returning, func) == U64_MAP_NONE)
		calls->nomem = true;
	if (!task)
		return;
	for (at = task->n; at && task->frames[at - 1].func != func; at--)
		;
	if (!at)
		return;
	task->n = at - 1;
	decoded->kind = DECODED_RETURN;
	decoded->call.depth = (int)task->n;
	decoded->call.duration = decoded->event->time - task->frames[task->n].start;
}

void probe_calls_turn(struct probe_calls *calls, struct decoded_event *decoded)
{
	struct probe_task *task;

	if (decoded_has_gap(decoded))
		calls->gaps++;
	switch (decoded->kind) {
	case DECODED_CALL:
	case DECODED_RETURN:
		calls->has_graph = true;
		break;
	case DECODED_PROBE:
	case DECODED_PROBE_RETURN:
		if (calls->has_graph)
			decoded->kind = DECODED_OTHER;
		else if (decoded->kind == DECODED_PROBE)
			probe_calls_begin(calls, decoded);
		else
			probe_calls_end(calls, decoded);
		break;
	case DECODED_SYSCALL_ENTRY:
		/* Don't allocate tasks if the trace has no exit probes. */
		if (!calls->returning.n)
			break;
		task = probe_calls_find_task(calls, decoded->event);
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
