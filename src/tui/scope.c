/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/scope.h"

#include <inttypes.h>
#include <stdio.h>

#include "read/context/tasks.h"

void scopes_init(struct scopes *scopes)
{
	scopes->n = 1;
	scopes->list[0] = (struct scope){ .window = FATHOM_WINDOW_ALL };
}

const struct scope *scopes_top(const struct scopes *scopes)
{
	return &scopes->list[scopes->n - 1];
}

/* Narrows @scope by @what. Returns NULL, or the reason why that is impossible. */
static const char *scope_narrow(struct scope *scope, const struct scope *what)
{
	uint64_t from = what->window.from, to = what->window.to;

	switch (what->kind) {
	case SCOPE_FILTER:
		snprintf(scope->filter, sizeof(scope->filter), "%s", what->filter);
		return NULL;
	case SCOPE_TASK:
		if (scope->has_pid)
			return scope->pid == what->pid ? "already limited to this task" :
							 "already limited to another task";
		scope->has_pid = true;
		scope->pid = what->pid;
		return NULL;
	case SCOPE_CPU:
		if (scope->has_cpu)
			return scope->cpu == what->cpu ? "already limited to this CPU" :
							 "already limited to another CPU";
		scope->has_cpu = true;
		scope->cpu = what->cpu;
		return NULL;
	case SCOPE_TIME:
		from = from > scope->window.from ? from : scope->window.from;
		to = to < scope->window.to ? to : scope->window.to;
		if (from > to)
			return "outside the visible time range";
		if (from == scope->window.from && to == scope->window.to)
			return "already limited to this time range";
		scope->window.from = from;
		scope->window.to = to;
		return NULL;
	default:
		return "nothing to limit the views to";
	}
}

bool scopes_push(struct scopes *scopes, const struct scope *what, const char **ret_why)
{
	struct scope *scope;
	const char *why;

	if (scopes->n == SCOPES_MAX) {
		*ret_why = "too many limits: Esc removes the last one";
		return false;
	}
	scope = &scopes->list[scopes->n];
	*scope = *scopes_top(scopes);
	scope->kind = what->kind;
	scope->filter[0] = '\0';
	why = scope_narrow(scope, what);
	if (why) {
		*ret_why = why;
		return false;
	}
	scope->window.cpus = scope->has_cpu ? &scope->cpu : NULL;
	scope->window.n_cpus = scope->has_cpu;
	scopes->n++;
	return true;
}

bool scopes_pop(struct scopes *scopes)
{
	if (scopes->n == 1)
		return false;
	scopes->n--;
	return true;
}

static void scope_put_task(int32_t pid, const struct tui *tui, struct strbuf *buf)
{
	const struct task *task = tasks_find(report_tasks(tui->report), pid);

	strbuf_addf(buf, "task %.*s-%" PRId32, (int)task->len, task->comm, pid);
}

void scopes_put(const struct scopes *scopes, const struct tui *tui, struct strbuf *buf)
{
	for (unsigned i = 1; i < scopes->n; i++) {
		const struct scope *scope = &scopes->list[i];

		strbuf_adds(buf, i > 1 ? " > " : "");
		if (scope->kind == SCOPE_FILTER)
			strbuf_adds(buf, scope->filter);
		else if (scope->kind == SCOPE_TASK)
			scope_put_task(scope->pid, tui, buf);
		else if (scope->kind == SCOPE_CPU)
			strbuf_addf(buf, "CPU %" PRIu32, scope->cpu);
		else
			tui_put_times(tui, scope->window.from, scope->window.to, buf);
	}
}
