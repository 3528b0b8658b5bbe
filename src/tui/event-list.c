/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/event-list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "read/cursor.h"
#include "read/event-table.h"
#include "read/trace.h"

/* Number of events between two looks at the clock. */
#define LOOK_EVERY 256

const struct event_row *event_list_row(const struct event_list *list, unsigned i)
{
	return &list->rows[(list->start + i) % EVENT_ROWS_MAX];
}

static void read_row(struct event_list *list, struct event_row *row, struct fathom_event *event)
{
	const struct event_entry *entry =
		event_table_find(report_events(list->options.report), event->id);
	struct text text;

	row->time = event->time;
	row->missed = event->missed;
	row->cpu = event->cpu;
	row->pid = event->pid;
	row->id = event->id;
	row->buffer = event->buffer;
	row->name = entry && entry->format ? entry->format->name : NULL;
	text_init(&text, row->text, EVENT_TEXT_SIZE - 1);
	if (event->data)
		report_event_text(list->options.report, event, &text);
	*text.p = '\0';
	row->text[strcspn(row->text, "\n")] = '\0';
}

/* Returns whether there is time for another event. */
static bool event_list_has_time(struct event_list *list, uint64_t until)
{
	return ++list->n_looked % LOOK_EVERY || clock_ns(CLOCK_MONOTONIC) < until;
}

/* Moves a cursor to its next shown event. Returns 1, 0 at the end, or -EAGAIN if time is up. */
static int event_list_step(struct event_list *list, struct fathom_cursor *cursor, bool up,
			   uint64_t until, struct fathom_event *event)
{
	int r;

	while ((r = up ? fathom_cursor_prev(cursor, event) : fathom_cursor_next(cursor, event)) ==
	       1) {
		if (!list->options.wanted || list->options.wanted(list->options.wanted_data, event))
			return 1;
		if (!event_list_has_time(list, until))
			return -EAGAIN;
	}
	return r;
}

static int add_below(struct event_list *list, uint64_t until)
{
	struct fathom_event event;
	int r = event_list_step(list, list->tail, false, until, &event);

	if (r != 1) {
		list->at_last = r == 0;
		return r;
	}
	if (list->n == list->want) {
		list->start = (list->start + 1) % EVENT_ROWS_MAX;
		list->n--;
		list->head_debt++;
		list->at_first = false;
	}
	read_row(list, &list->rows[(list->start + list->n++) % EVENT_ROWS_MAX], &event);
	return 1;
}

static int add_above(struct event_list *list, uint64_t until)
{
	struct fathom_event event;
	int r = event_list_step(list, list->head, true, until, &event);

	if (r != 1) {
		list->at_first = r == 0;
		return r;
	}
	if (list->n == list->want) {
		list->n--;
		list->tail_debt++;
		list->at_last = false;
	}
	list->start = (list->start + EVENT_ROWS_MAX - 1) % EVENT_ROWS_MAX;
	list->n++;
	read_row(list, &list->rows[list->start], &event);
	return 1;
}

/* Makes a cursor pass the events of rows that were dropped. */
static int pay(struct event_list *list, struct fathom_cursor *cursor, bool up, uint64_t *debt,
	       uint64_t until)
{
	struct fathom_event event;

	while (*debt) {
		int r = event_list_step(list, cursor, up, until, &event);

		if (r < 0)
			return r;
		if (r == 0)
			*debt = 0;
		else
			--*debt;
	}
	return 0;
}

/* Moves both cursors to where they belong. */
static int event_list_settle(struct event_list *list, uint64_t until)
{
	int r = pay(list, list->head, false, &list->head_debt, until);

	return r < 0 ? r : pay(list, list->tail, true, &list->tail_debt, until);
}

/* Scrolls as far as requested. */
static int event_list_scroll(struct event_list *list, uint64_t until)
{
	int r = 0;

	while (list->pending) {
		bool up = list->pending < 0, full = list->n == list->want;

		r = event_list_settle(list, until);
		if (r == 0)
			r = up ? add_above(list, until) : add_below(list, until);
		if (r < 0)
			return r;
		if (r == 0) {
			/* At the end, only the selection moves. */
			list->to_select += list->pending;
			list->pending = 0;
			break;
		}
		list->pending += up ? 1 : -1;
		/* If there were free rows, nothing was scrolled. */
		list->to_select += !up && !full;
		if (!event_list_has_time(list, until))
			return -EAGAIN;
	}
	return 0;
}

/* Adds rows below or, at the end of the trace, above. */
static int event_list_fill(struct event_list *list, uint64_t until)
{
	bool below = true;
	int r = 0;

	while (list->n < list->want) {
		r = event_list_settle(list, until);
		if (r < 0)
			return r;
		r = below ? add_below(list, until) : add_above(list, until);
		if (r < 0)
			return r;
		if (r == 0 && !below)
			break;
		if (r == 1 && !below)
			list->selected++;
		below = below && r == 1;
		if (!event_list_has_time(list, until))
			return -EAGAIN;
	}
	return 0;
}

static void select_row(struct event_list *list)
{
	int64_t selected = (int64_t)list->selected + list->to_select;

	if (selected >= (int64_t)list->n)
		selected = (int64_t)list->n - 1;
	list->selected = selected < 0 ? 0 : (unsigned)selected;
	list->to_select = 0;
}

/* Shows the events at the place of @cursor. */
static int show_at(struct event_list *list, struct fathom_cursor *cursor)
{
	int r = cursor_get_marks(cursor, list->marks);

	if (r == 0)
		r = cursor_set_marks(list->head, list->marks);
	if (r == 0)
		r = cursor_set_marks(list->tail, list->marks);
	list->start = list->n = list->selected = 0;
	list->pending = list->to_select = 0;
	list->head_debt = list->tail_debt = 0;
	list->at_first = list->at_last = false;
	list->searching = false;
	list->n_looked = 0;
	return r;
}

static bool has_needle(struct event_list *list, struct fathom_event *event)
{
	char text[EVENT_TEXT_SIZE];
	struct event_row row = { .text = text };

	read_row(list, &row, event);
	return strcasestr(text, list->needle) || (row.name && strcasestr(row.name, list->needle));
}

static int tui_event_list_search(struct event_list *list, uint64_t until)
{
	struct fathom_event event;
	int r = pay(list, list->finder, false, &list->search_skip, until);

	if (r < 0)
		return r;
	for (;;) {
		r = event_list_step(list, list->finder, list->search_up, until, &event);
		if (r < 0)
			return r;
		if (r == 0) {
			list->searching = false;
			return -ENOENT;
		}
		if (has_needle(list, &event))
			break;
		if (!event_list_has_time(list, until))
			return -EAGAIN;
	}
	if (!list->search_up)
		r = fathom_cursor_prev(list->finder, &event);
	r = r < 0 ? r : show_at(list, list->finder);
	/* Place the event in the middle of the screen. */
	list->pending = -(int64_t)(list->want / 2);
	list->to_select = list->want / 2;
	return r;
}

int event_list_work(struct event_list *list, uint64_t until)
{
	int r = 0;

	if (list->searching)
		r = tui_event_list_search(list, until);
	if (r == 0 && !list->n)
		r = add_below(list, until);
	if (r >= 0)
		r = event_list_scroll(list, until);
	if (r == 0)
		r = event_list_fill(list, until);
	if (r == 0)
		r = event_list_settle(list, until);
	if (r == -EAGAIN)
		return 1;
	if (r == 0)
		select_row(list);
	if (r == 0 || r == -ENOENT)
		list->n_looked = 0;
	return r;
}

void event_list_cancel(struct event_list *list)
{
	list->searching = false;
	list->pending = 0;
	list->n_looked = 0;
	select_row(list);
}

void event_list_resize(struct event_list *list, unsigned rows)
{
	if (rows > EVENT_ROWS_MAX)
		rows = EVENT_ROWS_MAX;
	list->want = rows ? rows : 1;
	/* Drop rows at the end, unless the selection is there. */
	while (list->n > list->want) {
		list->n--;
		if (list->selected >= list->want) {
			list->start = (list->start + 1) % EVENT_ROWS_MAX;
			list->selected--;
			list->head_debt++;
			list->at_first = false;
		} else {
			list->tail_debt++;
			list->at_last = false;
		}
	}
}

void event_list_move(struct event_list *list, int64_t lines)
{
	int64_t wish = (int64_t)list->selected + list->to_select + lines;

	/* The selection moves within the rows, and scrolls at their ends. */
	if (wish < 0 || wish >= (int64_t)list->n) {
		int64_t inside = wish < 0 || !list->n ? 0 : (int64_t)list->n - 1;

		list->pending += wish - inside;
		wish = inside;
	}
	list->to_select = wish - (int64_t)list->selected;
	if (!list->pending)
		select_row(list);
}

int event_list_first(struct event_list *list)
{
	int r = fathom_cursor_first(list->finder);

	return r < 0 ? r : show_at(list, list->finder);
}

int event_list_last(struct event_list *list)
{
	int r = fathom_cursor_last(list->finder, 0, NULL);

	r = r < 0 ? r : show_at(list, list->finder);
	list->pending = -(int64_t)list->want;
	list->to_select = (int64_t)list->want - 1;
	return r;
}

int event_list_seek(struct event_list *list, uint64_t time)
{
	int r = fathom_cursor_seek(list->finder, time);

	return r < 0 ? r : show_at(list, list->finder);
}

int event_list_search(struct event_list *list, const char *needle, bool up)
{
	int r;

	event_list_cancel(list);
	r = cursor_get_marks(list->head, list->marks);
	if (r == 0)
		r = cursor_set_marks(list->finder, list->marks);
	if (r < 0)
		return r;
	snprintf(list->needle, sizeof(list->needle), "%s", needle);
	list->search_up = up;
	list->search_skip = list->head_debt + list->selected + !up;
	list->searching = true;
	return 0;
}

int event_list_init(struct event_list *list, const struct event_list_options *options,
		    struct fathom_err *err)
{
	struct fathom_cursor **cursors[] = { &list->head, &list->tail, &list->finder };
	char *texts;
	int r = 0;

	*list = (struct event_list){ .options = *options, .window = *options->window, .want = 1 };
	list->options.window = &list->window;
	list->marks = mem_zalloc(options->trace->n_streams + 1, sizeof(*list->marks));
	list->rows = mem_zalloc(EVENT_ROWS_MAX, sizeof(*list->rows));
	texts = mem_zalloc(EVENT_ROWS_MAX, EVENT_TEXT_SIZE);
	if (list->rows)
		list->rows[0].text = texts;
	if (!list->marks || !list->rows || !texts) {
		if (!list->rows)
			free(texts);
		event_list_done(list);
		return err_nomem(err);
	}
	for (size_t i = 1; i < EVENT_ROWS_MAX; i++)
		list->rows[i].text = texts + i * EVENT_TEXT_SIZE;
	for (size_t i = 0; r == 0 && i < 3; i++)
		r = fathom_cursor_new(options->trace, &list->window, cursors[i], err);
	if (r < 0)
		event_list_done(list);
	return r;
}

void event_list_done(struct event_list *list)
{
	fathom_cursor_free(list->head);
	fathom_cursor_free(list->tail);
	fathom_cursor_free(list->finder);
	free(list->rows ? list->rows[0].text : NULL);
	free(list->rows);
	free(list->marks);
	*list = (struct event_list){ 0 };
}
