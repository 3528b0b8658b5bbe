/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current view: choosing it, moving it, and the part of which trace it shows. All views have
 * the same scope; an invisible one is loaded again when the user turns to it.
 */
#include <errno.h>
#include <string.h>

#include "tui/app/app.h"

int app_find_times(struct fathom_trace *trace, uint64_t *ret_first, uint64_t *ret_last,
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

struct tui_view *app_view(struct app *app)
{
	return app->views[app->current];
}

/* Marks all views to be loaded again, and loads the current one. */
static int app_load(struct app *app, struct fathom_err *err)
{
	struct tui_view *view = app_view(app);
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

int app_use_scope(struct app *app, struct fathom_err *err)
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
	struct tui_view *view = app_view(app);

	if (view->ops->go(view, time) < 0)
		tui_say(&app->tui, true, "cannot go there: out of memory");
	app->works = true;
}

void app_follow(struct app *app)
{
	struct tui_view *view = app_view(app);

	app->tui.place = app->tui.last_time;
	if (view->loaded && view->ops->follow)
		view->ops->follow(view);
	app->works = true;
}

void app_search(struct app *app, bool up)
{
	struct tui_view *view = app_view(app);

	if (!app->searched[0]) {
		tui_say(&app->tui, true, "no previous search: use '/'");
		return;
	}
	app->searched_up = up;
	if (view->ops->search(view, app->searched, up) < 0)
		tui_say(&app->tui, true, "out of memory");
	app->works = true;
}

/* Uses the new scope, and stays as close to the previous position as possible. */
static int change_scope(struct app *app, struct fathom_err *err)
{
	uint64_t place = app->tui.place;
	int r = app_use_scope(app, err);

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

void app_pop(struct app *app)
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

/* Remembers the name selected here, for other views. */
static void keep_subject(struct app *app)
{
	struct tui_view *view = app_view(app);
	struct view_choice choice = { 0 };

	if (view->loaded && view->ops->choice && view->ops->choice(view, &choice) && *choice.name)
		memcpy(app->tui.subject, choice.name, sizeof(choice.name));
}

void app_turn_to(struct app *app, unsigned number)
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
		app_view(app)->ops->turn_to(app_view(app));
	app->works = true;
}

void app_turn_to_key(struct app *app, uint32_t key)
{
	for (unsigned i = 0; i < app_n_tabs; i++)
		if (app_tabs[i].key == key)
			app_turn_to(app, i);
}

int app_use_trace(struct app *app, struct fathom_trace *trace, struct report *report,
		  struct fathom_err *err)
{
	struct tui *tui = &app->tui;
	uint64_t first = 0, last = 0;
	int r = app_find_times(trace, &first, &last, err);

	tui->trace = trace;
	tui->report = report;
	if (r == 0) {
		tui->first_time = first;
		tui->last_time = last;
		r = tui->follows ? app_use_scope(app, err) : change_scope(app, err);
	}
	if (r == 0 && tui->follows)
		app_follow(app);
	return r;
}
