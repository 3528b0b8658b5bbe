/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state that is saved until the trace is viewed again: marks with notes, limits, the view and
 * the position. It consists of lines of words; lines that cannot be parsed are skipped.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tui/app/app.h"

static void put_scope(const struct scope *scope, struct strbuf *buf)
{
	switch (scope->kind) {
	case SCOPE_FILTER:
		strbuf_addf(buf, "filter %s\n", scope->filter);
		break;
	case SCOPE_TASK:
		strbuf_addf(buf, "task %" PRId32 "\n", scope->pid);
		break;
	case SCOPE_CPU:
		strbuf_addf(buf, "cpu %" PRIu32 "\n", scope->cpu);
		break;
	case SCOPE_TIME:
		strbuf_addf(buf, "time %" PRIu64 " %" PRIu64 "\n", scope->window.from,
			    scope->window.to);
		break;
	default:
		break;
	}
}

void app_state_put(const struct app *app, struct strbuf *buf)
{
	for (unsigned i = 0; i < app->scopes.n; i++)
		put_scope(&app->scopes.list[i], buf);
	for (unsigned i = 0; i < APP_MARKS; i++)
		if (app->marks[i].time)
			strbuf_addf(buf, "mark %c %c %" PRIu64 " %s\n", (char)('a' + i),
				    (char)app->marks[i].view, app->marks[i].time,
				    app->marks[i].note);
	if (app->searched[0])
		strbuf_addf(buf, "searched %s\n", app->searched);
	strbuf_addf(buf, "place %" PRIu64 "\n", app->tui.place);
	strbuf_addf(buf, "view %c\n", (char)app_tabs[app->current].key);
}

/* Parses the number at *@text, and advances it past the number and a space. */
static bool app_state_take_number(const char **text, uint64_t *ret)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*ret = strtoull(*text, &end, 10);
	*text = *end == ' ' ? end + 1 : end;
	return true;
}

static void take_mark(struct app *app, const char *text)
{
	struct app_mark mark = { 0 };
	char letter = text[0];

	if (letter < 'a' || letter > 'z' || text[1] != ' ' || !text[2] || text[3] != ' ')
		return;
	mark.view = (unsigned char)text[2];
	text += 4;
	if (!app_state_take_number(&text, &mark.time))
		return;
	snprintf(mark.note, sizeof(mark.note), "%s", text);
	app->marks[letter - 'a'] = mark;
}

/* Returns whether the line is about a scope, even if it is invalid. */
static bool take_scope(struct app *app, const char *line)
{
	struct scope what = { 0 };
	const char *text;
	uint64_t number;

	if ((text = str_after(line, "filter "))) {
		what.kind = SCOPE_FILTER;
		snprintf(what.filter, sizeof(what.filter), "%s", text);
	} else if ((text = str_after(line, "task ")) && app_state_take_number(&text, &number)) {
		what.kind = SCOPE_TASK;
		what.pid = (int32_t)number;
	} else if ((text = str_after(line, "cpu ")) && app_state_take_number(&text, &number)) {
		what.kind = SCOPE_CPU;
		what.cpu = (uint32_t)number;
	} else if ((text = str_after(line, "time ")) &&
		   app_state_take_number(&text, &what.window.from) &&
		   app_state_take_number(&text, &what.window.to)) {
		what.kind = SCOPE_TIME;
	}
	if (what.kind)
		app_push(app, &what);
	return what.kind;
}

static void take_line(struct app *app, const char *line)
{
	const char *text;
	uint64_t number;

	if (take_scope(app, line))
		return;
	if ((text = str_after(line, "mark ")))
		take_mark(app, text);
	else if ((text = str_after(line, "searched ")))
		snprintf(app->searched, sizeof(app->searched), "%s", text);
	else if ((text = str_after(line, "place ")) && app_state_take_number(&text, &number))
		app->tui.place = number;
	else if ((text = str_after(line, "view ")) && *text)
		app_turn_to_key(app, (unsigned char)*text);
}

void app_state_take(struct app *app, const char *text)
{
	char line[512];

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len < sizeof(line)) {
			memcpy(line, text, len);
			line[len] = '\0';
			take_line(app, line);
		}
		text += len + (text[len] == '\n');
	}
}

void app_go_to_mark(struct app *app, uint32_t letter, bool with_view)
{
	const struct app_mark *mark;

	if (letter < 'a' || letter > 'z') {
		tui_say(&app->tui, true, "invalid mark: expected a letter from a to z");
		return;
	}
	mark = &app->marks[letter - 'a'];
	if (!mark->time) {
		tui_say(&app->tui, true, "no mark '%c': set it with 'm%c'", (char)letter,
			(char)letter);
		return;
	}
	if (with_view)
		app_turn_to_key(app, mark->view);
	app_go(app, mark->time);
	if (mark->note[0])
		tui_say(&app->tui, false, "%.200s", mark->note);
}
