/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/app/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tui/helper.h"

/* Keys that work in all views. */
static const struct view_key app_keys[] = {
	{ { '/' }, "search forward for text" },
	{ { '?' }, "show this help" },
	{ { 'n' }, "repeat the search" },
	{ { 'N' }, "repeat the search in the opposite direction" },
	{ { 'f' }, "limit all views to a filter, such as 'pid == 1'" },
	{ { ':' }, "go to ':50%', ':12.345' (seconds) or ':+1ms'; ':q' quits" },
	{ { 'm' }, "set a mark, a letter; ':note TEXT' adds a note" },
	{ { '\'' }, "go to a mark" },
	{ { 't' }, "limit all views to the task of this line" },
	{ { 'c' }, "limit all views to its CPU" },
	{ { 'w' }, "limit all views to its duration" },
	{ { TUI_KEY_ESCAPE }, "cancel; otherwise remove the last limit" },
	{ { TUI_KEY_TAB, '1' }, "next view, or a view by number" },
	{ { 'F' }, "pause or resume following a recording" },
	{ { 'e' }, "export what is shown: part.dat, part.pftrace, part.folded, ..." },
	{ { 'y' }, "copy this line to the clipboard of the terminal" },
	{ { TUI_KEY_BACKSPACE }, "previous view" },
	{ { 'q' }, "quit" },
};
#define APP_KEYS (sizeof(app_keys) / sizeof(app_keys[0]))
/* Limits all views to the task, CPU or duration of the selected line. */
static void push_chosen(struct app *app, uint32_t key)
{
	struct tui_view *view = app_view(app);
	struct view_choice choice = { 0 };
	bool any = view->loaded && view->ops->choice && view->ops->choice(view, &choice);

	if (any && key == 't' && choice.has_pid)
		tui_push_task(&app->tui, choice.pid);
	else if (any && key == 'c' && choice.has_cpu)
		tui_push_cpu(&app->tui, choice.cpu);
	else if (any && key == 'w' && choice.has_time)
		tui_push_time(&app->tui, choice.from, choice.to);
	else
		tui_say(&app->tui, true, "this line has no %s: select one in the replay",
			key == 't' ? "task" :
			key == 'c' ? "CPU" :
				     "duration");
}

static void app_escape(struct app *app)
{
	struct tui_view *view = app_view(app);

	if (app->works) {
		view->ops->cancel(view);
		app->works = false;
	} else {
		app_pop(app);
	}
}

/* Handles the keys of app_keys[]. */
static void common_key(struct app *app, uint32_t key)
{
	switch (key) {
	case 'q':
	case TUI_CTRL('c'):
		app->quit = true;
		break;
	case '?':
		app->help = true;
		app->help_lines.top = 0;
		break;
	case '/':
		app_begin_prompt(app, PROMPT_SEARCH);
		break;
	case 'f':
		app_begin_prompt(app, PROMPT_FILTER);
		break;
	case ':':
		app_begin_prompt(app, PROMPT_COMMAND);
		break;
	case 'm':
		app_begin_prompt(app, PROMPT_MARK);
		break;
	case '\'':
		app_begin_prompt(app, PROMPT_TO_MARK);
		break;
	case 'n':
	case 'N':
		app_search(app, key == 'N');
		break;
	case TUI_KEY_TAB:
		app_turn_to(app, (app->current + 1) % app_n_tabs);
		break;
	case 'e':
		app_begin_prompt(app, PROMPT_COMMAND);
		app->n_typed = (size_t)snprintf(app->typed, sizeof(app->typed), "export ");
		break;
	case 'F':
		app_live_toggle(app);
		break;
	case 'y':
		app->copies = true;
		break;
	case TUI_KEY_BACKSPACE:
	case TUI_CTRL('h'):
		app_turn_to(app, app->before);
		break;
	case TUI_KEY_BACK_TAB:
		app_turn_to(app, (app->current + app_n_tabs - 1) % app_n_tabs);
		break;
	case 't':
	case 'c':
	case 'w':
		push_chosen(app, key);
		break;
	case TUI_KEY_ESCAPE:
		app_escape(app);
		break;
	default:
		app_turn_to_key(app, key);
		break;
	}
}

static void help_key(struct app *app, uint32_t key)
{
	size_t n = app_help_lines(app, APP_KEYS);

	app->help_lines.page = app->area.rows;
	if (key == 'j' || key == TUI_KEY_DOWN)
		lines_pan(&app->help_lines, n, 1);
	else if (key == 'k' || key == TUI_KEY_UP)
		lines_pan(&app->help_lines, n, -1);
	else
		app->help = false;
}

static bool is_tab_key(uint32_t key)
{
	for (unsigned i = 0; i < app_n_tabs; i++)
		if (app_tabs[i].key == key)
			return true;
	return false;
}

/* Returns whether the user still looks at the end of the trace after this key. */
static bool keeps_following(uint32_t key)
{
	return key && (strchr("?ftcFq", (int)(key < 0x80 ? key : '/')) || key == TUI_KEY_ESCAPE ||
		       key == TUI_KEY_TAB || key == TUI_KEY_BACK_TAB || key == TUI_KEY_BACKSPACE ||
		       key == TUI_CTRL('h') || is_tab_key(key));
}

/* Carries out requests that the view made while it handled the key. */
static void after_key(struct app *app)
{
	const struct view_ops *to = app->tui.to_view;
	struct scope wish = app->tui.wish;

	app->tui.to_view = NULL;
	app->tui.wish = (struct scope){ 0 };
	if (wish.kind)
		app_push(app, &wish);
	if (to && app->tui.target.text) {
		snprintf(app->searched, sizeof(app->searched), "%s", app->tui.target.text);
		app->search_next = true;
	}
	for (unsigned i = 0; to && i < app_n_tabs; i++)
		if (app_tabs[i].ops == to)
			app_turn_to(app, i);
	app->tui.target = (struct view_choice){ 0 };
}

void app_key(struct app *app, uint32_t key)
{
	struct tui_view *view = app_view(app);

	app->tui.message[0] = '\0';
	app->search_next = false;
	app->live.settles = false;
	if (app->help) {
		help_key(app, key);
	} else if (app->prompt) {
		app_type(app, key);
	} else if (view->loaded && view->ops->key(view, key)) {
		app_live_hold(app);
		app->works = true;
	} else {
		if (!keeps_following(key))
			app_live_hold(app);
		common_key(app, key);
	}
	after_key(app);
}

void app_edit(struct app *app)
{
	char request[TUI_NAME_SIZE + 16];
	int r;

	app->tui.edit = false;
	snprintf(request, sizeof(request), "edit %s", app->tui.subject);
	r = helper_ask(app->tui.helper, request);
	if (r == 0)
		r = helper_wait(app->tui.helper, -1, &app->line);
	if (r < 0)
		tui_say(&app->tui, true, "%.200s",
			app->line.len ? strbuf_str(&app->line) : "cannot start the editor");
}

bool app_work(struct app *app, uint64_t until)
{
	struct tui_view *view = app_view(app);
	struct fathom_err err = { 0 };
	int r;

	if (app->exports)
		app_export_work(app);
	if (!app->works || !view->loaded) {
		app->works = false;
		return app->exports;
	}
	r = view->ops->work(view, until);
	if (r == -ENOENT) {
		tui_say(&app->tui, true, "'%.60s' not found %s", app->searched,
			app->searched_up ? "above: 'n' searches below" :
					   "below: 'N' searches above");
	} else if (r < 0) {
		err_set_errno(&err, r, "cannot show this part of the trace");
		tui_say(&app->tui, true, "%s", err.message);
	}
	app->works = r == 1;
	if (!app->works && app->search_next) {
		app->search_next = false;
		app_search(app, false);
	}
	return app->works || app->exports;
}

/* Draws the limits. Returns the number of rows they take. */
static unsigned draw_scope(struct app *app, struct cells *cells, const struct cells_area *area)
{
	if (app->scopes.n == 1)
		return 0;
	strbuf_clear(&app->line);
	strbuf_adds(&app->line, "only ");
	scopes_put(&app->scopes, &app->tui, &app->line);
	cells_puts(cells, area, 0, 1, CELL_WARN, strbuf_str(&app->line));
	return 1;
}

static void draw_status(struct app *app, struct cells *cells, const struct cells_area *area)
{
	struct tui_view *view = app_view(app);

	strbuf_clear(&app->line);
	app_live_put(app, &app->line);
	if (view->loaded)
		view->ops->status(view, &app->line);
	cells_puts(cells, area, 0, 1, CELL_BAR, strbuf_str(&app->line));
}

/* Clears everything except the area of the view. */
static void clear_bars(struct cells *cells)
{
	for (unsigned row = 0; row < cells->rows; row++)
		if (row == 0 || row + 2 >= cells->rows)
			cells_clear_row(cells, row);
}

void app_draw(struct app *app, struct cells *cells)
{
	struct cells_area row = { .rows = 1, .cols = cells->cols };
	struct cells_area middle = { .row = 1, .rows = cells->rows, .cols = cells->cols };
	struct tui_view *view = app_view(app);
	bool stays = app->cols == cells->cols && app->rows == cells->rows && !app->help &&
		     app_live_keeps_picture(app);

	if (stays)
		clear_bars(cells);
	else
		cells_clear(cells);
	if (cells->rows < 4)
		return;
	middle.rows = cells->rows - 3;
	cells_paint(cells, &row, 0, CELL_BAR);
	app_draw_tabs(app, cells, &row);
	if (middle.rows > 2) {
		unsigned n = draw_scope(app, cells, &middle);

		middle.row += n;
		middle.rows -= n;
	}
	app->area = middle;
	app->rows = cells->rows;
	app->cols = cells->cols;
	if (app->help)
		app_draw_help(app, app_keys, APP_KEYS, cells, &middle);
	else if (view->loaded && !stays)
		view->ops->draw(view, cells, &middle);
	row.row = cells->rows - 2;
	cells_paint(cells, &row, 0, CELL_BAR);
	draw_status(app, cells, &row);
	row.row = cells->rows - 1;
	app_draw_prompt(app, cells, &row);
	app->works |= app->tui.wants_work;
	app->tui.wants_work = false;
}

static int make_views(struct app *app)
{
	for (unsigned i = 0; i < app_n_tabs; i++) {
		app->views[i] = mem_zalloc(1, app_tabs[i].ops->size);
		if (!app->views[i])
			return -ENOMEM;
		app->views[i]->ops = app_tabs[i].ops;
		app->views[i]->tui = &app->tui;
	}
	return 0;
}

int app_init(struct app *app, struct fathom_trace *trace, struct report *report, const char *path,
	     struct fathom_err *err)
{
	int r;

	*app = (struct app){ .tui = { .trace = trace, .report = report, .path = path } };
	scopes_init(&app->scopes);
	app->tui.raw_times = !report_in_nanoseconds(report, 0);
	r = make_views(app) < 0 ?
		    err_nomem(err) :
		    app_find_times(trace, &app->tui.first_time, &app->tui.last_time, err);
	if (r == 0)
		r = app_use_scope(app, err);
	if (r < 0)
		app_done(app);
	return r;
}

int app_compare(struct app *app, struct fathom_trace *trace, struct report *report,
		const char *path, struct fathom_err *err)
{
	struct tui_other *other = &app->tui.other;

	*other = (struct tui_other){ .trace = trace, .report = report, .path = path };
	return app_find_times(trace, &other->first_time, &other->last_time, err);
}

void app_done(struct app *app)
{
	for (unsigned i = 0; i < app_n_tabs; i++) {
		if (app->views[i])
			app->views[i]->ops->done(app->views[i]);
		free(app->views[i]);
	}
	report_filter_done(&app->tui.filter);
	app_live_done(app);
	strbuf_done(&app->line);
}
