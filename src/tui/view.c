/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What views have in common: messages, requests for another scope or view, and the test whether an
 * event is in the scope.
 */
#include "tui/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "render/kit/duration.h"
#include "render/kit/table.h"

void tui_say(struct tui *tui, bool bad, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tui->message, sizeof(tui->message), fmt, ap);
	va_end(ap);
	tui->message_bad = bad;
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
		return "no events match the filter (Esc removes it)";
	return tui->scope->kind ? "no events within the limits (Esc removes the last one)" :
				  otherwise;
}
