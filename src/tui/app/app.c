/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/app/app.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "tui/helper.h"

const struct view_key app_keys[] = {
	{ { '/' }, "look for a text, downwards" },
	{ { '?' }, "this help" },
	{ { 'n' }, "look for it again" },
	{ { 'N' }, "look for it in the other direction" },
	{ { 'f' }, "show only what passes a filter, such as 'pid == 1' (man fathom-filter)" },
	{ { ':' }, "go to a place: ':50%', ':12.345' seconds, ':+1ms', ':q' ends" },
	{ { 'm' }, "mark this place with a letter; ':note TEXT' tells why" },
	{ { '\'' }, "go to the mark of a letter" },
	{ { 't' }, "only the task of this line" },
	{ { 'c' }, "only its CPU" },
	{ { 'w' }, "only the time in which it happened" },
	{ { TUI_KEY_ESCAPE }, "end what takes long; then: take the last limit away" },
	{ { TUI_KEY_TAB, '1' }, "the next view, or the one of a number" },
	{ { 'F' }, "hold what is shown while it is recorded; follow it again" },
	{ { 'e' }, "write what is shown to a file: trace.dat, .perfetto, .folded, ..." },
	{ { 'y' }, "copy this line, into the terminal's clipboard" },
	{ { TUI_KEY_BACKSPACE }, "back to the view before" },
	{ { 'q' }, "end" },
};
const size_t app_n_keys = sizeof(app_keys) / sizeof(app_keys[0]);

static struct tui_view *view_of(struct app *app)
{
	return app->views[app->current];
}

/* All views have to begin anew; the one that is seen does. */
static int app_load(struct app *app, struct fathom_err *err)
{
	struct tui_view *view = view_of(app);
	int r;

	if (view->loaded)
		return 0;
	r = view->ops->load(view, err);
	view->loaded = r == 0;
	if (r == 0)
		view->trace = app->tui.trace;
	else
		app->live.stuck = true;
	app->works = true;
	return r;
}

static int use_scope(struct app *app, struct fathom_err *err)
{
	struct tui *tui = &app->tui;
	int r = 0;

	tui->scope = scopes_top(&app->scopes);
	report_filter_done(&tui->filter);
	report_filter_init(&tui->filter, tui->report, tui->trace);
	tui->filtered = false;
	for (unsigned i = 0; r == 0 && i < app->scopes.n; i++) {
		if (!app->scopes.list[i].filter[0])
			continue;
		tui->filtered = true;
		r = report_filter_add(&tui->filter, app->scopes.list[i].filter, false, err);
	}
	if (r == 0)
		r = report_filter_bind(&tui->filter, err);
	for (unsigned i = 0; i < app_n_tabs; i++)
		app->views[i]->loaded = false;
	return r < 0 ? r : app_load(app, err);
}

void app_go(struct app *app, uint64_t time)
{
	struct tui_view *view = view_of(app);

	if (view->ops->go(view, time) < 0)
		tui_say(&app->tui, true, "cannot go there: not enough memory");
	app->works = true;
}

void app_follow(struct app *app)
{
	struct tui_view *view = view_of(app);

	app->tui.place = app->tui.last_time;
	if (view->loaded && view->ops->follow)
		view->ops->follow(view);
	app->works = true;
}

void app_search(struct app *app, bool up)
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

/* The scope is another one: all is as near as can be to where it was. */
static int change_scope(struct app *app, struct fathom_err *err)
{
	uint64_t place = app->tui.place;
	int r = use_scope(app, err);

	if (r < 0)
		return r;
	if (place && place < app->tui.scope->window.from)
		place = app->tui.scope->window.from;
	if (place > app->tui.scope->window.to)
		place = app->tui.scope->window.to;
	app->tui.place = place;
	if (place)
		app_go(app, place);
	return 0;
}

static void app_pop(struct app *app)
{
	struct fathom_err err;

	if (scopes_pop(&app->scopes) && change_scope(app, &err) < 0)
		tui_say(&app->tui, true, "%.200s", err.message);
}

int app_push(struct app *app, const struct scope *what)
{
	struct fathom_err err = { 0 };
	const char *why;
	int r;

	if (!scopes_push(&app->scopes, what, &why)) {
		tui_say(&app->tui, true, "%s", why);
		return -EINVAL;
	}
	r = change_scope(app, &err);
	if (r < 0) {
		app_pop(app);
		tui_say(&app->tui, true, "%.200s", err.message);
	}
	return r;
}

/* Limits all views to the task, the CPU, the time of the chosen line. */
static void push_chosen(struct app *app, uint32_t key)
{
	struct tui_view *view = view_of(app);
	struct view_choice choice = { 0 };
	bool any = view->loaded && view->ops->choice && view->ops->choice(view, &choice);

	if (any && key == 't' && choice.has_pid)
		tui_push_task(&app->tui, choice.pid);
	else if (any && key == 'c' && choice.has_cpu)
		tui_push_cpu(&app->tui, choice.cpu);
	else if (any && key == 'w' && choice.has_time)
		tui_push_time(&app->tui, choice.from, choice.to);
	else
		tui_say(&app->tui, true, "this line belongs to no %s; others do, in the replay",
			key == 't' ? "task" :
			key == 'c' ? "CPU" :
				     "time");
}

static void app_escape(struct app *app)
{
	struct tui_view *view = view_of(app);

	if (app->works) {
		view->ops->cancel(view);
		app->works = false;
	} else {
		app_pop(app);
	}
}

/* What is chosen here is what other views can tell more of. */
static void keep_subject(struct app *app)
{
	struct tui_view *view = view_of(app);
	struct view_choice choice = { 0 };

	if (view->loaded && view->ops->choice && view->ops->choice(view, &choice) && *choice.name)
		memcpy(app->tui.subject, choice.name, sizeof(choice.name));
}

static void app_turn_to(struct app *app, unsigned number)
{
	struct fathom_err err;

	if (number != app->current) {
		keep_subject(app);
		app->before = app->current;
	}
	app->current = number;
	if (app_load(app, &err) < 0) {
		tui_say(&app->tui, true, "%s", err.message);
		return;
	}
	if (app->tui.follows)
		app_follow(app);
	else
		view_of(app)->ops->turn_to(view_of(app));
	app->works = true;
}

void app_turn_to_key(struct app *app, uint32_t key)
{
	for (unsigned i = 0; i < app_n_tabs; i++)
		if (app_tabs[i].key == key)
			app_turn_to(app, i);
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
	if (key == 'j' || key == TUI_KEY_DOWN)
		app->help_top++;
	else if ((key == 'k' || key == TUI_KEY_UP) && app->help_top)
		app->help_top--;
	else if (key != 'k' && key != TUI_KEY_UP)
		app->help = false;
}

/* Keys of app_keys[] after which what is seen is still the end. */
static bool keeps_following(uint32_t key)
{
	return key && (strchr("?ftcFq", (int)(key < 0x80 ? key : '/')) || key == TUI_KEY_ESCAPE ||
		       key == TUI_KEY_TAB || key == TUI_KEY_BACK_TAB || key == TUI_KEY_BACKSPACE ||
		       key == TUI_CTRL('h') || (key >= '1' && key <= '9'));
}

/* What the view that took the key has asked for. */
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
	struct tui_view *view = view_of(app);

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
			app->line.len ? strbuf_str(&app->line) : "the editor cannot be started");
}

bool app_work(struct app *app, uint64_t until)
{
	struct tui_view *view = view_of(app);
	struct fathom_err err;
	int r;

	if (app->exports)
		app_export_work(app);
	if (!app->works || !view->loaded) {
		app->works = false;
		return app->exports;
	}
	r = view->ops->work(view, until);
	if (r == -ENOENT)
		tui_say(&app->tui, true, "'%.60s' was not found %s", app->searched,
			app->searched_up ? "above: 'n' looks below" : "below: 'N' looks above");
	else if (r < 0 && err_set_errno(&err, r, "this cannot be shown") < 0)
		tui_say(&app->tui, true, "%s", err.message);
	app->works = r == 1;
	if (!app->works && app->search_next) {
		app->search_next = false;
		app_search(app, false);
	}
	return app->works || app->exports;
}

/* What all is limited to; the rows that this takes. */
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
	struct tui_view *view = view_of(app);

	strbuf_clear(&app->line);
	app_live_put(app, &app->line);
	if (view->loaded)
		view->ops->status(view, &app->line);
	cells_puts(cells, area, 0, 1, CELL_BAR, strbuf_str(&app->line));
}

/* All but what a view has drawn. */
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
	struct tui_view *view = view_of(app);
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
		app_draw_help(app, cells, &middle);
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

/* When the first and the last event happened. */
static int find_times(struct fathom_trace *trace, uint64_t *ret_first, uint64_t *ret_last,
		      struct fathom_err *err)
{
	struct fathom_window all = FATHOM_WINDOW_ALL;
	struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int r = fathom_cursor_new(trace, &all, &cursor, err);

	if (r < 0)
		return r;
	if (fathom_cursor_next(cursor, &event) == 1)
		*ret_first = *ret_last = event.time;
	if (fathom_cursor_last(cursor, 1, NULL) == 0 && fathom_cursor_next(cursor, &event) == 1 &&
	    event.time > *ret_last)
		*ret_last = event.time;
	fathom_cursor_free(cursor);
	return 0;
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

int app_use_trace(struct app *app, struct fathom_trace *trace, struct report *report,
		  struct fathom_err *err)
{
	struct tui *tui = &app->tui;
	uint64_t first = 0, last = 0;
	int r = find_times(trace, &first, &last, err);

	tui->trace = trace;
	tui->report = report;
	if (r == 0) {
		tui->first_time = first;
		tui->last_time = last;
		r = tui->follows ? use_scope(app, err) : change_scope(app, err);
	}
	if (r == 0 && tui->follows)
		app_follow(app);
	return r;
}

int app_init(struct app *app, struct fathom_trace *trace, struct report *report, const char *path,
	     struct fathom_err *err)
{
	int r;

	*app = (struct app){ .tui = { .trace = trace, .report = report, .path = path } };
	scopes_init(&app->scopes);
	app->tui.raw_times = !report_in_nanoseconds(report, 0);
	r = make_views(app) < 0 ? err_nomem(err) :
				  find_times(trace, &app->tui.first_time, &app->tui.last_time, err);
	if (r == 0)
		r = use_scope(app, err);
	if (r < 0)
		app_done(app);
	return r;
}

int app_compare(struct app *app, struct fathom_trace *trace, struct report *report,
		const char *path, struct fathom_err *err)
{
	struct tui_other *other = &app->tui.other;

	*other = (struct tui_other){ .trace = trace, .report = report, .path = path };
	return find_times(trace, &other->first_time, &other->last_time, err);
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
