/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "read/context/tasks.h"
#include "render/kit/duration.h"
#include "render/kit/table.h"

void scopes_init(struct scopes *scopes)
{
	scopes->n = 1;
	scopes->list[0] = (struct scope){ .window = FATHOM_WINDOW_ALL };
}

const struct scope *scopes_top(const struct scopes *scopes)
{
	return &scopes->list[scopes->n - 1];
}

/* NULL, or why it cannot be. */
static const char *scope_narrow(struct scope *scope, const struct scope *what)
{
	uint64_t from = what->window.from, to = what->window.to;

	switch (what->kind) {
	case SCOPE_FILTER:
		snprintf(scope->filter, sizeof(scope->filter), "%s", what->filter);
		return NULL;
	case SCOPE_TASK:
		if (scope->has_pid)
			return scope->pid == what->pid ? "only this task is shown already" :
							 "only another task is shown";
		scope->has_pid = true;
		scope->pid = what->pid;
		return NULL;
	case SCOPE_CPU:
		if (scope->has_cpu)
			return scope->cpu == what->cpu ? "only this CPU is shown already" :
							 "only another CPU is shown";
		scope->has_cpu = true;
		scope->cpu = what->cpu;
		return NULL;
	case SCOPE_TIME:
		from = from > scope->window.from ? from : scope->window.from;
		to = to < scope->window.to ? to : scope->window.to;
		if (from > to)
			return "this time is not shown";
		if (from == scope->window.from && to == scope->window.to)
			return "only this time is shown already";
		scope->window.from = from;
		scope->window.to = to;
		return NULL;
	default:
		return "there is nothing to limit this to";
	}
}

bool scopes_push(struct scopes *scopes, const struct scope *what, const char **ret_why)
{
	struct scope *scope;
	const char *why;

	if (scopes->n == SCOPES_MAX) {
		*ret_why = "there are as many limits as can be; Esc takes one away";
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

void tui_put_times(const struct tui *tui, uint64_t from, uint64_t to, struct strbuf *buf)
{
	char from_text[TIME_TEXT_SIZE], to_text[TIME_TEXT_SIZE], span[DURATION_SIZE];
	uint64_t last = to < tui->last_time ? to : tui->last_time;
	uint64_t first = from > tui->first_time ? from : tui->first_time;

	strbuf_addf(buf, "%s to %s", time_text(first, tui->raw_times, false, from_text),
		    time_text(last, tui->raw_times, false, to_text));
	if (!tui->raw_times && last >= first)
		strbuf_addf(buf, " (%s)", duration_text(last - first, span));
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

void tui_push_time(struct tui *tui, uint64_t from, uint64_t to)
{
	tui->wish = (struct scope){ .kind = SCOPE_TIME, .window = { .from = from, .to = to } };
}

void tui_push_task(struct tui *tui, int32_t pid)
{
	tui->wish = (struct scope){ .kind = SCOPE_TASK, .pid = pid };
}

void tui_push_cpu(struct tui *tui, uint32_t cpu)
{
	tui->wish = (struct scope){ .kind = SCOPE_CPU, .cpu = cpu };
}

void tui_show(struct tui *tui, const struct view_ops *in, const struct view_choice *what)
{
	tui->to_view = in;
	tui->target = *what;
	if (what->has_time)
		tui->place = what->from;
}

void tui_take_name(const char *text, char ret_name[TUI_NAME_SIZE])
{
	size_t len =
		strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$");

	snprintf(ret_name, TUI_NAME_SIZE, "%.*s", (int)(len < TUI_NAME_SIZE ? len : 0), text);
}

bool tui_filter_passes(void *data, const struct fathom_event *event)
{
	struct tui *tui = data;

	return report_filter_wanted(&tui->filter, event, true);
}

bool tui_wants(void *data, const struct fathom_event *event)
{
	struct tui *tui = data;

	if (tui->scope->has_pid && event->pid != tui->scope->pid)
		return false;
	return !tui->filtered || tui_filter_passes(tui, event);
}

bool tui_wants_less(const struct tui *tui)
{
	return tui->filtered || tui->scope->has_pid;
}

const char *tui_why_empty(const struct tui *tui, const char *otherwise)
{
	if (tui->scope->kind == SCOPE_FILTER)
		return "nothing passes the filter (Esc takes it away)";
	return tui->scope->kind ? "there is nothing in what this is limited to (Esc widens it)" :
				  otherwise;
}
