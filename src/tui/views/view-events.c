/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The raw list of events, at any position of the trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "read/context/tasks.h"
#include "tui/event-list.h"
#include "tui/lines.h"
#include "tui/view.h"

/* Columns of a line, if the screen is wide enough. */
enum {
	COL_TIME = 0,
	COL_CPU = 18,
	COL_TASK = 22,
	COL_EVENT = 44,
	COL_TEXT = 66,
	NARROW = 100, /* on narrower screens, the text directly follows the name */
};

struct events_view {
	struct tui_view view;
	struct event_list list;
	bool same; /* the search is for an event with the same name */
	bool relative; /* times relative to the selected event */
	uint64_t zero;
	unsigned shift; /* number of columns of text scrolled out to the left */
	unsigned page; /* rows, when last drawn */
};

static struct events_view *view_events_of(struct tui_view *view)
{
	return (struct events_view *)view;
}

/* A gap reported without an event has no data and no task. */
static bool view_events_is_wanted(void *tui, const struct fathom_event *event)
{
	return event->data && tui_wants(tui, event);
}

static int view_events_load(struct tui_view *view, struct fathom_err *err)
{
	struct events_view *events = view_events_of(view);
	struct tui *tui = view->tui;

	event_list_done(&events->list);
	return event_list_init(&events->list,
			       &(struct event_list_options){
				       .trace = tui->trace,
				       .report = tui->report,
				       .window = &tui->scope->window,
				       .wanted = tui_wants_less(tui) ? view_events_is_wanted : NULL,
				       .wanted_data = tui },
			       err);
}

static void view_events_done(struct tui_view *view)
{
	event_list_done(&view_events_of(view)->list);
}

static void view_events_put_time(struct events_view *events, const struct event_row *row, char *buf,
				 size_t size)
{
	uint64_t time = row->time;
	const char *sign = "";

	if (events->relative) {
		sign = time < events->zero ? "-" : "+";
		time = time < events->zero ? events->zero - time : time - events->zero;
	}
	if (events->view.tui->raw_times)
		snprintf(buf, size, "%s%" PRIu64, sign, time);
	else
		snprintf(buf, size, "%s%" PRIu64 ".%06" PRIu64, sign, time / 1000000000,
			 time % 1000000000 / 1000);
}

static unsigned view_events_style_of(const struct event_row *row)
{
	if (!row->name)
		return CELL_DIM;
	if (strstr(row->name, "sched_"))
		return CELL_GOOD;
	return CELL_EVENT;
}

/* Skips the columns that are scrolled out. */
static const char *view_events_shifted(const char *text, unsigned shift)
{
	size_t len = strlen(text);

	return text + (shift < len ? shift : len);
}

static void view_events_draw_row(struct events_view *events, struct cells *cells,
				 const struct cells_area *area, unsigned i)
{
	const struct event_row *row = event_list_row(&events->list, i);
	const struct task *task = tasks_find(report_tasks(events->view.tui->report), row->pid);
	bool narrow = area->cols < NARROW;
	unsigned col, n = i + 1;
	char time[48];

	view_events_put_time(events, row, time, sizeof(time));
	cells_putf(cells, area, n, COL_TIME, CELL_TIME, "%16s", time);
	cells_putf(cells, area, n, COL_CPU, CELL_DIM, "%3" PRIu32, row->cpu);
	col = cells_putf(cells, area, n, COL_TASK, CELL_TASK, "%.*s-%" PRId32, (int)task->len,
			 task->comm, row->pid);
	col = col < COL_EVENT - (narrow ? 6 : 1) ? COL_EVENT - (narrow ? 6 : 1) : col;
	col = cells_putf(cells, area, n, col + 1, view_events_style_of(row), "%s",
			 row->name ?: "(unknown event)");
	if (!narrow && col < COL_TEXT - 1)
		col = COL_TEXT - 1;
	if (row->missed == FATHOM_MISSED_UNKNOWN)
		col = cells_puts(cells, area, n, col + 1, CELL_WARN, "[events lost before]");
	else if (row->missed)
		col = cells_putf(cells, area, n, col + 1, CELL_WARN, "[%" PRIu64 " lost before]",
				 row->missed);
	cells_puts(cells, area, n, col + 1, CELL_PLAIN,
		   view_events_shifted(row->text, events->shift));
	if (i == events->list.selected)
		cells_select(cells, area, n);
}

static void view_events_draw(struct tui_view *view, struct cells *cells,
			     const struct cells_area *area)
{
	struct events_view *events = view_events_of(view);
	bool narrow = area->cols < NARROW;

	events->page = area->rows > 1 ? area->rows - 1 : 1;
	if (events->page != events->list.want) {
		event_list_resize(&events->list, events->page);
		event_list_work(&events->list, UINT64_MAX);
	}
	cells_putf(cells, area, 0, COL_TIME, CELL_HEAD, "%16s",
		   events->relative ? "since" : "time");
	cells_puts(cells, area, 0, COL_CPU, CELL_HEAD, "cpu");
	cells_puts(cells, area, 0, COL_TASK, CELL_HEAD, "task");
	cells_puts(cells, area, 0, narrow ? COL_EVENT - 5 : COL_EVENT, CELL_HEAD, "event");
	cells_paint(cells, area, 0, CELL_HEAD);
	for (unsigned i = 0; i < events->list.n; i++)
		view_events_draw_row(events, cells, area, i);
	if (!events->list.n)
		cells_puts(cells, area, 1, 2, CELL_DIM, tui_why_empty(view->tui, "no events"));
}

static const struct event_row *view_events_selected(struct events_view *events)
{
	return events->list.selected < events->list.n ?
		       event_list_row(&events->list, events->list.selected) :
		       NULL;
}

static void view_events_status(struct tui_view *view, struct strbuf *buf)
{
	struct events_view *events = view_events_of(view);
	const struct event_list *list = &events->list;
	const struct event_row *row = view_events_selected(events);
	uint64_t first = view->tui->first_time, span = view->tui->last_time - first;

	if (!row)
		return;
	strbuf_addf(buf, "%.1f %%", span ? 100.0 * (double)(row->time - first) / (double)span : 0);
	if (list->searching)
		strbuf_addf(buf, "  searching for '%s': %" PRIu64 " events (Esc cancels)",
			    list->needle, list->n_looked);
	else if (list->n_looked)
		strbuf_addf(buf, "  searching: %" PRIu64 " events (Esc cancels)", list->n_looked);
}

/*
 * Long moves are made in lines, so that PgDn with a filter that matches rarely does not take
 * forever.
 */
static bool view_events_move(struct events_view *events, uint32_t key)
{
	int64_t page = events->page > 1 ? events->page - 1 : 1, by;

	switch (key) {
	case TUI_CTRL('d'):
		event_list_move(&events->list, page / 2 + 1);
		return true;
	case TUI_CTRL('u'):
		event_list_move(&events->list, -(page / 2 + 1));
		return true;
	case 'g':
	case TUI_KEY_HOME:
		event_list_first(&events->list);
		return true;
	case 'G':
	case TUI_KEY_END:
		event_list_last(&events->list);
		return true;
	default:
		if (!lines_key(key, page, 0, &by))
			return false;
		event_list_move(&events->list, by);
		return true;
	}
}

static bool view_events_key(struct tui_view *view, uint32_t key)
{
	struct events_view *events = view_events_of(view);
	const struct event_row *row = view_events_selected(events);

	if (view_events_move(events, key))
		return true;
	switch (key) {
	case TUI_KEY_RIGHT:
		events->shift += 8;
		return true;
	case TUI_KEY_LEFT:
		events->shift -= events->shift < 8 ? events->shift : 8;
		return true;
	case '.':
	case ',':
		events->same = true;
		if (row && row->name && event_list_search(&events->list, row->name, key == ',') < 0)
			tui_say(view->tui, true, "out of memory");
		return true;
	case 'r':
		events->relative = !events->relative && row;
		events->zero = row ? row->time : 0;
		return true;
	default:
		return false;
	}
}

static int view_events_search(struct tui_view *view, const char *text, bool up)
{
	view_events_of(view)->same = false;
	return event_list_search(&view_events_of(view)->list, text, up);
}

static int view_events_go(struct tui_view *view, uint64_t time)
{
	return event_list_seek(&view_events_of(view)->list, time);
}

static void view_events_follow(struct tui_view *view)
{
	event_list_last(&view_events_of(view)->list);
}

static int view_events_work(struct tui_view *view, uint64_t until)
{
	struct events_view *events = view_events_of(view);
	int r = event_list_work(&events->list, until);
	const struct event_row *row = view_events_selected(events);

	if (row)
		view->tui->place = row->time;
	if (r != -ENOENT || !events->same)
		return r;
	tui_say(view->tui, true, "none found %s",
		events->list.search_up ? "before" : "after this one");
	return 0;
}

static void view_events_cancel(struct tui_view *view)
{
	event_list_cancel(&view_events_of(view)->list);
}

static bool view_events_choice(struct tui_view *view, struct view_choice *ret_choice)
{
	const struct event_row *row = view_events_selected(view_events_of(view));
	const char *function;

	if (!row)
		return false;
	*ret_choice = (struct view_choice){ .has_pid = true,
					    .pid = row->pid,
					    .has_cpu = true,
					    .cpu = row->cpu,
					    .has_time = true,
					    .from = row->time,
					    .to = row->time };
	/* Call events have the function after a bar; others are identified by their event name. */
	function = row->name && str_after(row->name, "funcgraph_") ? strchr(row->text, '|') : NULL;
	if (function)
		tui_take_name(function + 1 + strspn(function + 1, " "), ret_choice->name);
	else if (row->name)
		tui_take_name(row->name, ret_choice->name);
	return true;
}

static bool view_events_click(struct tui_view *view, unsigned row)
{
	struct event_list *list = &view_events_of(view)->list;

	if (row && row <= list->n)
		event_list_move(list, (int64_t)row - 1 - list->selected);
	return false;
}

static void view_events_turn_to(struct tui_view *view)
{
	event_list_seek(&view_events_of(view)->list, view->tui->place);
}

static const struct view_key keys[] = {
	{ { 'j', TUI_KEY_DOWN }, "next event" },
	{ { 'k', TUI_KEY_UP }, "previous event" },
	{ { TUI_KEY_PAGE_DOWN, ' ' }, "page down" },
	{ { TUI_KEY_PAGE_UP }, "page up" },
	{ { TUI_CTRL('d') }, "half a page down" },
	{ { TUI_CTRL('u') }, "half a page up" },
	{ { 'g', TUI_KEY_HOME }, "first event" },
	{ { 'G', TUI_KEY_END }, "last event" },
	{ { TUI_KEY_LEFT, TUI_KEY_RIGHT }, "scroll long lines" },
	{ { '.', ',' }, "next, previous event of the same name" },
	{ { 'r' }, "toggle times relative to the selected event" },
};

const struct view_ops view_events = {
	.name = "Events",
	.keys = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.size = sizeof(struct events_view),
	.load = view_events_load,
	.done = view_events_done,
	.turn_to = view_events_turn_to,
	.draw = view_events_draw,
	.status = view_events_status,
	.key = view_events_key,
	.search = view_events_search,
	.go = view_events_go,
	.follow = view_events_follow,
	.work = view_events_work,
	.cancel = view_events_cancel,
	.click = view_events_click,
	.choice = view_events_choice,
};
