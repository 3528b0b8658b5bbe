/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/app.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static const struct view_ops *const all_views[APP_VIEWS] = { &view_syscalls, &view_functions,
							     &view_replay, &view_events };

const struct view_key app_keys[] = {
	{ { '/' }, "look for a text, downwards" },
	{ { '?' }, "this help" },
	{ { 'n' }, "look for it again" },
	{ { 'N' }, "look for it in the other direction" },
	{ { 'f' }, "show only what passes a filter, such as 'pid == 1' (man fathom-filter)" },
	{ { ':' }, "go to a place: ':50%', ':12.345' seconds, ':+1ms', ':q' ends" },
	{ { 'm' }, "mark this place with a letter" },
	{ { '\'' }, "go to the mark of a letter" },
	{ { TUI_KEY_TAB, '1' }, "the next view, or the one of a number" },
	{ { TUI_KEY_ESCAPE }, "end what takes long; take the last filter away" },
	{ { 'q' }, "end" },
};
const size_t app_n_keys = sizeof(app_keys) / sizeof(app_keys[0]);

void tui_say(struct tui *tui, bool bad, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tui->message, sizeof(tui->message), fmt, ap);
	va_end(ap);
	tui->message_bad = bad;
}

static struct tui_view *view_of(struct app *app)
{
	return app->views[app->current];
}

/* All views have to begin anew; the one that is seen does. */
static int load(struct app *app, struct fathom_err *err)
{
	struct tui_view *view = view_of(app);
	int r;

	if (view->loaded)
		return 0;
	r = view->ops->load(view, err);
	view->loaded = r == 0;
	app->works = true;
	return r;
}

static int use_scope(struct app *app, struct fathom_err *err)
{
	struct tui *tui = &app->tui;
	int r = 0;

	tui->scope = &app->scopes[app->n_scopes - 1];
	report_filter_done(&tui->filter);
	report_filter_init(&tui->filter, tui->report, tui->trace);
	tui->filtered = false;
	for (unsigned i = 0; r == 0 && i < app->n_scopes; i++) {
		if (!app->scopes[i].filter[0])
			continue;
		tui->filtered = true;
		r = report_filter_add(&tui->filter, app->scopes[i].filter, false, err);
	}
	if (r == 0)
		r = report_filter_bind(&tui->filter, err);
	for (unsigned i = 0; i < APP_VIEWS; i++)
		app->views[i]->loaded = false;
	return r < 0 ? r : load(app, err);
}

static void back_to_scope(struct app *app)
{
	struct fathom_err err;
	uint64_t place = app->tui.place;

	if (use_scope(app, &err) < 0)
		tui_say(&app->tui, true, "%s", err.message);
	else if (place)
		view_of(app)->ops->go(view_of(app), place);
}

static void set_filter(struct app *app, const char *text)
{
	struct fathom_err err = { 0 };
	struct scope *scope;

	if (!*text)
		return;
	if (app->n_scopes == APP_SCOPES_MAX) {
		tui_say(&app->tui, true, "there are %d filters; take one away with Esc first",
			APP_SCOPES_MAX);
		return;
	}
	scope = &app->scopes[app->n_scopes];
	*scope = app->scopes[app->n_scopes - 1];
	snprintf(scope->filter, sizeof(scope->filter), "%s", text);
	app->n_scopes++;
	if (use_scope(app, &err) == 0) {
		view_of(app)->ops->go(view_of(app), app->tui.place);
		return;
	}
	app->n_scopes--;
	back_to_scope(app);
	tui_say(&app->tui, true, "%.200s", err.message);
}

static void search(struct app *app, bool up)
{
	struct tui_view *view = view_of(app);

	if (!app->searched[0]) {
		tui_say(&app->tui, true, "nothing was looked for yet: '/' begins");
		return;
	}
	app->searched_up = up;
	if (view->ops->search(view, app->searched, up) < 0)
		tui_say(&app->tui, true, "not enough memory");
	app->works = true;
}

/* A number with a fraction, in nanoseconds, with the unit behind it. */
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

static bool parse_place(struct app *app, const char *text, uint64_t *ret)
{
	uint64_t span = app->tui.last_time - app->tui.first_time;
	size_t len = strlen(text);
	char *end;
	double percent;

	if (len && text[len - 1] == '%') {
		percent = strtod(text, &end);
		if (end != text + len - 1 || percent < 0 || percent > 100)
			return false;
		*ret = app->tui.first_time + (uint64_t)(percent / 100 * (double)span);
		return true;
	}
	if (*text == '+' || *text == '-') {
		if (!parse_time(text + 1, app->tui.raw_times, &span))
			return false;
		*ret = *text == '+'	     ? app->tui.place + span :
		       app->tui.place > span ? app->tui.place - span :
					       0;
		return true;
	}
	return parse_time(text, app->tui.raw_times, ret);
}

static void go(struct app *app, uint64_t time)
{
	struct tui_view *view = view_of(app);

	if (view->ops->go(view, time) < 0)
		tui_say(&app->tui, true, "cannot go there: not enough memory");
	app->works = true;
}

static void command(struct app *app, const char *text)
{
	uint64_t time;

	if (!*text)
		return;
	if (str_eq(text, "q") || str_eq(text, "quit"))
		app->quit = true;
	else if (parse_place(app, text, &time))
		go(app, time);
	else
		tui_say(&app->tui, true,
			"'%.60s' is no place: type ':50%%', ':12.345' or ':+1ms' ('?' shows more)",
			text);
}

static void end_prompt(struct app *app)
{
	enum app_prompt prompt = app->prompt;

	app->prompt = PROMPT_NONE;
	app->typed[app->n_typed] = '\0';
	if (prompt == PROMPT_FILTER) {
		set_filter(app, app->typed);
	} else if (prompt == PROMPT_COMMAND) {
		command(app, app->typed);
	} else {
		if (app->n_typed)
			snprintf(app->searched, sizeof(app->searched), "%.127s", app->typed);
		search(app, prompt == PROMPT_SEARCH_UP);
	}
}

/* Only ASCII can be typed: names in traces are nothing else. */
static void type(struct app *app, uint32_t key)
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

static void mark(struct app *app, uint32_t key)
{
	bool set = app->prompt == PROMPT_MARK;

	app->prompt = PROMPT_NONE;
	if (key < 'a' || key > 'z') {
		tui_say(&app->tui, true, "marks are letters from a to z");
		return;
	}
	if (set) {
		app->marks[key - 'a'] = app->tui.place;
		tui_say(&app->tui, false, "marked; '%c goes back here", (char)key);
	} else if (app->marks[key - 'a']) {
		go(app, app->marks[key - 'a']);
	} else {
		tui_say(&app->tui, true, "there is no mark '%c': 'm%c' sets it", (char)key,
			(char)key);
	}
}

static void escape(struct app *app)
{
	struct tui_view *view = view_of(app);

	if (app->works) {
		view->ops->cancel(view);
		app->works = false;
	} else if (app->n_scopes > 1) {
		app->n_scopes--;
		back_to_scope(app);
	}
}

static void turn_to(struct app *app, unsigned number)
{
	struct fathom_err err;

	app->current = number;
	if (load(app, &err) < 0) {
		tui_say(&app->tui, true, "%s", err.message);
		return;
	}
	view_of(app)->ops->turn_to(view_of(app));
	app->works = true;
}

static void begin_prompt(struct app *app, enum app_prompt prompt)
{
	app->prompt = prompt;
	app->n_typed = 0;
}

/* The keys of app_keys[]. */
static void common_key(struct app *app, uint32_t key)
{
	switch (key) {
	case 'q':
	case TUI_CTRL('c'):
		app->quit = true;
		break;
	case '?':
		app->help = true;
		app->help_top = 0;
		break;
	case '/':
		begin_prompt(app, PROMPT_SEARCH);
		break;
	case 'f':
		begin_prompt(app, PROMPT_FILTER);
		break;
	case ':':
		begin_prompt(app, PROMPT_COMMAND);
		break;
	case 'm':
		begin_prompt(app, PROMPT_MARK);
		break;
	case '\'':
		begin_prompt(app, PROMPT_TO_MARK);
		break;
	case 'n':
	case 'N':
		search(app, key == 'N');
		break;
	case TUI_KEY_TAB:
		turn_to(app, (app->current + 1) % APP_VIEWS);
		break;
	case TUI_KEY_ESCAPE:
		escape(app);
		break;
	default:
		if (key >= '1' && key < '1' + APP_VIEWS)
			turn_to(app, key - '1');
		break;
	}
}

static void help_key(struct app *app, uint32_t key)
{
	if (key == 'j' || key == TUI_KEY_DOWN)
		app->help_top++;
	else if ((key == 'k' || key == TUI_KEY_UP) && app->help_top)
		app->help_top--;
	else if (key != 'k' && key != TUI_KEY_UP)
		app->help = false;
}

void app_key(struct app *app, uint32_t key)
{
	struct tui_view *view = view_of(app);

	app->tui.message[0] = '\0';
	if (app->help)
		help_key(app, key);
	else if (app->prompt == PROMPT_MARK || app->prompt == PROMPT_TO_MARK)
		mark(app, key);
	else if (app->prompt)
		type(app, key);
	else if (view->loaded && view->ops->key(view, key))
		app->works = true;
	else
		common_key(app, key);
	if (app->tui.to_replay) {
		app->tui.to_replay = false;
		turn_to(app, APP_REPLAY);
	}
}

bool app_work(struct app *app, uint64_t until)
{
	struct tui_view *view = view_of(app);
	struct fathom_err err;
	int r;

	if (!app->works || !view->loaded)
		return app->works = false;
	r = view->ops->work(view, until);
	if (r == -ENOENT)
		tui_say(&app->tui, true, "'%.60s' was not found %s", app->searched,
			app->searched_up ? "above: 'n' looks below" : "below: 'N' looks above");
	else if (r < 0 && err_set_errno(&err, r, "this cannot be shown") < 0)
		tui_say(&app->tui, true, "%s", err.message);
	app->works = r == 1;
	return app->works;
}

static void draw_title(struct app *app, struct cells *cells, const struct cells_area *area)
{
	unsigned col = cells_puts(cells, area, 0, 1, CELL_BAR, "fathom");

	for (unsigned i = 0; i < APP_VIEWS; i++)
		col = cells_putf(cells, area, 0, col + 1, i == app->current ? CELL_TAB : CELL_BAR,
				 " %u %s ", i + 1, all_views[i]->name);
	cells_puts(cells, area, 0, col + 2, CELL_BAR, app->tui.path);
}

static void draw_status(struct app *app, struct cells *cells, const struct cells_area *area)
{
	struct tui_view *view = view_of(app);

	strbuf_clear(&app->line);
	if (view->loaded)
		view->ops->status(view, &app->line);
	for (unsigned i = 0; i < app->n_scopes; i++)
		if (app->scopes[i].filter[0])
			strbuf_addf(&app->line, "   filter: %s", app->scopes[i].filter);
	cells_puts(cells, area, 0, 1, CELL_BAR, strbuf_str(&app->line));
}

static void draw_last(struct app *app, struct cells *cells, const struct cells_area *area)
{
	static const char *const words[] = { [PROMPT_SEARCH] = "/",
					     [PROMPT_SEARCH_UP] = "?",
					     [PROMPT_FILTER] = "filter: ",
					     [PROMPT_COMMAND] = ":",
					     [PROMPT_MARK] = "mark this place with which letter? ",
					     [PROMPT_TO_MARK] = "to the mark of which letter? " };

	if (app->prompt)
		cells_putf(cells, area, 0, 0, CELL_STRONG, "%s%.*s_", words[app->prompt],
			   (int)app->n_typed, app->typed);
	else if (app->tui.message[0])
		cells_puts(cells, area, 0, 1, app->tui.message_bad ? CELL_ERROR : CELL_GOOD,
			   app->tui.message);
	else
		cells_puts(cells, area, 0, 1, CELL_DIM,
			   "? help   / look for   f filter   : go to   m mark   q end");
}

void app_draw(struct app *app, struct cells *cells)
{
	struct cells_area row = { .rows = 1, .cols = cells->cols };
	struct cells_area middle = { .row = 1, .rows = cells->rows, .cols = cells->cols };
	struct tui_view *view = view_of(app);

	cells_clear(cells);
	if (cells->rows < 4)
		return;
	middle.rows = cells->rows - 3;
	cells_paint(cells, &row, 0, CELL_BAR);
	draw_title(app, cells, &row);
	if (app->help)
		app_draw_help(app, cells, &middle);
	else if (view->loaded)
		view->ops->draw(view, cells, &middle);
	row.row = cells->rows - 2;
	cells_paint(cells, &row, 0, CELL_BAR);
	draw_status(app, cells, &row);
	row.row = cells->rows - 1;
	draw_last(app, cells, &row);
}

/* When the first and the last event happened. */
static int find_times(struct app *app, struct fathom_err *err)
{
	struct fathom_window all = FATHOM_WINDOW_ALL;
	struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int r = fathom_cursor_new(app->tui.trace, &all, &cursor, err);

	if (r < 0)
		return r;
	if (fathom_cursor_next(cursor, &event) == 1)
		app->tui.first_time = app->tui.last_time = event.time;
	if (fathom_cursor_last(cursor, 1, NULL) == 0 && fathom_cursor_next(cursor, &event) == 1 &&
	    event.time > app->tui.last_time)
		app->tui.last_time = event.time;
	fathom_cursor_free(cursor);
	return 0;
}

static int make_views(struct app *app)
{
	for (unsigned i = 0; i < APP_VIEWS; i++) {
		app->views[i] = mem_zalloc(1, all_views[i]->size);
		if (!app->views[i])
			return -ENOMEM;
		app->views[i]->ops = all_views[i];
		app->views[i]->tui = &app->tui;
	}
	return 0;
}

int app_init(struct app *app, struct fathom_trace *trace, struct report *report, const char *path,
	     struct fathom_err *err)
{
	int r;

	*app = (struct app){ .tui = { .trace = trace, .report = report, .path = path },
			     .n_scopes = 1,
			     .scopes = { { .window = FATHOM_WINDOW_ALL } } };
	app->tui.raw_times = !report_in_nanoseconds(report, 0);
	r = make_views(app) < 0 ? err_nomem(err) : find_times(app, err);
	if (r == 0)
		r = use_scope(app, err);
	if (r < 0)
		app_done(app);
	return r;
}

void app_done(struct app *app)
{
	for (unsigned i = 0; i < APP_VIEWS; i++) {
		if (app->views[i])
			app->views[i]->ops->done(app->views[i]);
		free(app->views[i]);
	}
	report_filter_done(&app->tui.filter);
	strbuf_done(&app->line);
}
