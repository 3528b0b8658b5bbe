/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contents of a plan, and how it is filled. */
#include "record/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "record/plan/plan-parts.h"

int plan_init(struct plan *plan)
{
	*plan = (struct plan){ 0 };
	return plan_add_buffer(plan, "");
}

void plan_done(struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		struct plan_buffer *buffer = &plan->buffers[i];

		for (size_t k = 0; k < buffer->n_events; k++)
			free(buffer->events[k].triggers.list);
		free(buffer->events);
		free(buffer->functions.list);
		free(buffer->not_functions.list);
		free(buffer->untraced.list);
		free(buffer->graph_functions.list);
		free(buffer->options.list);
		free(buffer->returns.list);
		free(buffer->errors.list);
		free(buffer->args.list);
	}
	free(plan->buffers);
	free(plan->pids);
	free(plan->user_functions.list);
	free(plan->watches.list);
	strbuf_done(&plan->users);
	strbuf_done(&plan->enums);
	strbuf_done(&plan->notes);
	arena_done(&plan->arena);
	*plan = (struct plan){ 0 };
}

int plan_add_buffer(struct plan *plan, const char *name)
{
	if (mem_reserve(&plan->buffers, &plan->cap, plan->n + 1, sizeof(*plan->buffers)) < 0)
		return -ENOMEM;
	plan->buffers[plan->n++] = (struct plan_buffer){ .name = name };
	return 0;
}

int plan_add_event(struct plan_buffer *buffer, const char *name, bool off)
{
	if (mem_reserve(&buffer->events, &buffer->cap_events, buffer->n_events + 1,
			sizeof(*buffer->events)) < 0)
		return -ENOMEM;
	buffer->events[buffer->n_events++] = (struct plan_event){ .name = name, .off = off };
	return 0;
}

int plan_add_probe(struct plan_buffer *buffer, const char *name, const char *probe)
{
	int r = plan_add_event(buffer, name, false);

	if (r == 0)
		buffer->events[buffer->n_events - 1].probe = probe;
	return r;
}

int plan_add_pid(struct plan *plan, pid_t pid)
{
	if (mem_reserve(&plan->pids, &plan->cap_pids, plan->n_pids + 1, sizeof(pid)) < 0)
		return -ENOMEM;
	plan->pids[plan->n_pids++] = pid;
	return 0;
}

int plan_words_add(struct plan_words *words, const char *word)
{
	if (mem_reserve(&words->list, &words->cap, words->n + 1, sizeof(word)) < 0)
		return -ENOMEM;
	words->list[words->n++] = word;
	return 0;
}

void plan_note(struct plan *plan, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&plan->notes, fmt, ap);
	va_end(ap);
	strbuf_addc(&plan->notes, '\n');
}

bool plan_traces_functions(const struct plan_buffer *buffer)
{
	return buffer->tracer &&
	       (str_eq(buffer->tracer, "function") || str_eq(buffer->tracer, "function_graph"));
}
