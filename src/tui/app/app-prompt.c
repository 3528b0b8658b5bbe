/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last line, for typing filters, searches, commands, and letters of marks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tui/app/app.h"

/* Parses a number with a fraction and a unit. Returns nanoseconds. */
static bool parse_time(const char *text, bool raw, uint64_t *ret)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	char *end;
	double number = strtod(text, &end);

	if (end == text || number < 0)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_eq(end, units[i].name) && number * units[i].ns < 1.8e19) {
			*ret = (uint64_t)(number * (raw ? 1 : units[i].ns) + 0.5);
			return true;
		}
	return false;
}

static uint64_t app_prompt_at_least(uint64_t time, uint64_t least)
{
	return time > least ? time : least;
}

static bool app_prompt_parse_place(struct app *app, const char *text, uint64_t *ret)
{
	const struct fathom_window *window = &app->tui.scope->window;
	uint64_t first = app_prompt_at_least(app->tui.first_time, window->from), by;
	uint64_t last = app->tui.last_time < window->to ? app->tui.last_time : window->to;
	size_t len = strlen(text);
	char *end;
	double percent;

	if (len && text[len - 1] == '%') {
		percent = strtod(text, &end);
		if (end != text + len - 1 || !(percent >= 0 && percent <= 100))
			return false;
		*ret = first +
		       (uint64_t)(percent / 100 * (double)(last > first ? last - first : 0));
		return true;
	}
	if (*text == '+' || *text == '-') {
		if (!parse_time(text + 1, app->tui.raw_times, &by))
			return false;
		*ret = *text == '+'	   ? app->tui.place + by :
		       app->tui.place > by ? app->tui.place - by :
					     0;
	} else if (!parse_time(text, app->tui.raw_times, ret)) {
		return false;
	}
	/* Times outside the scope are moved to its nearest end. */
	*ret = app_prompt_at_least(*ret < last ? *ret : last, first);
	return true;
}

static void app_prompt_mark(struct app *app, uint32_t key)
{
	bool set = app->prompt == PROMPT_MARK;

	app->prompt = PROMPT_NONE;
	if (!set || key < 'a' || key > 'z') {
		app_go_to_mark(app, key, false);
		return;
	}
	app->last_mark = key - 'a';
	app->marked = true;
	app->marks[key - 'a'] =
		(struct app_mark){ .time = app->tui.place, .view = app_tabs[app->current].key };
	tui_say(&app->tui, false, "mark set: '%c returns here, ':note TEXT' adds a note",
		(char)key);
}

static void app_prompt_note(struct app *app, const char *text)
{
	struct app_mark *at = &app->marks[app->last_mark];

	if (!at->time) {
		tui_say(&app->tui, true, "no mark to add a note to: set one with 'm' and a letter");
		return;
	}
	snprintf(at->note, sizeof(at->note), "%s", text);
	app->marked = true;
	tui_say(&app->tui, false, "note added to mark '%c'", (char)('a' + app->last_mark));
}

static void app_prompt_command(struct app *app, const char *text)
{
	uint64_t time;

	if (!*text)
		return;
	if (str_eq(text, "q") || str_eq(text, "quit"))
		app->quit = true;
	else if (str_after(text, "export "))
		app_export(app, str_after(text, "export "));
	else if (str_after(text, "note "))
		app_prompt_note(app, str_after(text, "note "));
	else if (app_prompt_parse_place(app, text, &time))
		app_go(app, time);
	else
		tui_say(&app->tui, true,
			"invalid position '%.60s': expected ':50%%', ':12.345' or ':+1ms' ('?' for help)",
			text);
}

static void set_filter(struct app *app, const char *text)
{
	struct scope what = { .kind = SCOPE_FILTER };

	if (!*text)
		return;
	snprintf(what.filter, sizeof(what.filter), "%s", text);
	app_push(app, &what);
}

static void end_prompt(struct app *app)
{
	enum app_prompt prompt = app->prompt;

	app->prompt = PROMPT_NONE;
	app->typed[app->n_typed] = '\0';
	if (prompt == PROMPT_FILTER) {
		set_filter(app, app->typed);
	} else if (prompt == PROMPT_COMMAND) {
		app_prompt_command(app, app->typed);
	} else {
		if (app->n_typed)
			snprintf(app->searched, sizeof(app->searched), "%.127s", app->typed);
		app_search(app, prompt == PROMPT_SEARCH_UP);
	}
}

/* Only ASCII can be typed; names in traces rarely need more. */
static void app_prompt_edit(struct app *app, uint32_t key)
{
	if (key == TUI_KEY_ENTER || key == '\n')
		end_prompt(app);
	else if (key == TUI_KEY_ESCAPE)
		app->prompt = PROMPT_NONE;
	else if ((key == TUI_KEY_BACKSPACE || key == TUI_CTRL('h')) && !app->n_typed)
		app->prompt = PROMPT_NONE;
	else if (key == TUI_KEY_BACKSPACE || key == TUI_CTRL('h'))
		app->n_typed--;
	else if (key == TUI_CTRL('u'))
		app->n_typed = 0;
	else if (tui_key_is_text(key) && key < 0x7f && app->n_typed + 1 < sizeof(app->typed))
		app->typed[app->n_typed++] = (char)key;
}

/* Appends the marks that are set. */
static void app_prompt_put_marks(const struct app *app, struct strbuf *buf)
{
	strbuf_clear(buf);
	for (unsigned i = 0; i < APP_MARKS; i++)
		if (app->marks[i].time)
			strbuf_addf(buf, "%s%c%s%s", buf->len ? ", " : "", (char)('a' + i),
				    app->marks[i].note[0] ? " " : "", app->marks[i].note);
}

void app_type(struct app *app, uint32_t key)
{
	if (app->prompt == PROMPT_MARK || app->prompt == PROMPT_TO_MARK)
		app_prompt_mark(app, key);
	else
		app_prompt_edit(app, key);
}

void app_begin_prompt(struct app *app, enum app_prompt prompt)
{
	app->prompt = prompt;
	app->n_typed = 0;
}

void app_draw_prompt(struct app *app, struct cells *cells, const struct cells_area *area)
{
	static const char *const words[] = { [PROMPT_SEARCH] = "/",
					     [PROMPT_SEARCH_UP] = "?",
					     [PROMPT_FILTER] = "filter: ",
					     [PROMPT_COMMAND] = ":",
					     [PROMPT_MARK] = "set mark (a letter): ",
					     [PROMPT_TO_MARK] = "go to mark: " };

	if (app->prompt == PROMPT_TO_MARK) {
		app_prompt_put_marks(app, &app->line);
		cells_putf(cells, area, 0, 0, CELL_STRONG, "%s%s", words[app->prompt],
			   strbuf_str(&app->line));
	} else if (app->prompt)
		cells_putf(cells, area, 0, 0, CELL_STRONG, "%s%.*s_", words[app->prompt],
			   (int)app->n_typed, app->typed);
	else if (app->tui.message[0])
		cells_puts(cells, area, 0, 1, app->tui.message_bad ? CELL_ERROR : CELL_GOOD,
			   app->tui.message);
	else
		cells_puts(
			cells, area, 0, 1, CELL_DIM,
			"? help   / search   f filter   t task   c CPU   : go to   m mark   q quit");
}
