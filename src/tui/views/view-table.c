/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/views/view-table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"
#include "render/kit/duration.h"
#include "render/chart/histogram.h"

/* Number of events between two looks at the clock. */
#define SLICE 4096
/* Lines of the histogram with its title, if there is space. */
#define HISTOGRAM_LINES 9
#define BAR		30

const struct view_key view_table_keys[TABLE_KEYS] = {
	{ { 'j', TUI_KEY_DOWN }, "next line" },
	{ { 'k', TUI_KEY_UP }, "previous line" },
	{ { TUI_KEY_PAGE_DOWN, ' ' }, "page down" },
	{ { TUI_KEY_PAGE_UP }, "page up" },
	{ { 'g', TUI_KEY_HOME }, "first line" },
	{ { 'G', TUI_KEY_END }, "last line" },
	{ { 's' }, "sort by the next column" },
	{ { TUI_KEY_ENTER }, "go to the longest instance in the replay" },
};

static struct table_view *view_table_of(struct tui_view *view)
{
	return (struct table_view *)view;
}

struct table_row *view_table_add(struct table_view *table, const char *name)
{
	char *copy = arena_strdup(&table->arena, name);

	if (!copy || mem_reserve(&table->rows, &table->cap, table->n + 1, sizeof(*table->rows)) < 0)
		return NULL;
	table->rows[table->n] = (struct table_row){ .name = copy, .worst_pid = -1 };
	return &table->rows[table->n++];
}

static void view_table_drop(struct table_view *table)
{
	feed_end(table->feeding);
	table->feeding = NULL;
	if (table->kind)
		table->kind->end(table);
	arena_done(&table->arena);
	table->n = table->lines.selected = table->lines.top = 0;
}

int view_table_load(struct table_view *table, struct fathom_err *err)
{
	struct tui *tui = table->view.tui;
	int r;

	/* Remember the name until the table has been read again. */
	if (table->lines.selected && table->lines.selected < table->n)
		snprintf(table->kept, sizeof(table->kept), "%s",
			 table->rows[table->lines.selected].name);
	else if (table->n)
		table->kept[0] = '\0';
	if (!tui->follows)
		table->kept[0] = '\0';
	view_table_drop(table);
	table->feed = (struct feed){ .trace = tui->trace,
				     .window = &tui->scope->window,
				     .events = report_events(tui->report),
				     .wanted = tui_wants_less(tui) ? tui_wants : NULL,
				     .wanted_data = tui };
	r = table->kind->begin(table);
	return r < 0 ? r : feed_begin(&table->feed, table->kind->take, table, &table->feeding, err);
}

void view_table_done(struct tui_view *view)
{
	struct table_view *table = view_table_of(view);

	view_table_drop(table);
	free(table->rows);
	strbuf_done(&table->buf);
}

void view_table_turn_to(struct tui_view *view)
{
}

static int view_table_compare(const void *a, const void *b, void *data)
{
	const struct table_row *x = a, *y = b;
	const struct table_view *table = data;
	int r = 0;

	if (table->order == TABLE_TOTAL)
		r = order_falling(x->total, y->total);
	else if (table->order == TABLE_OWN && table->kind->second_is_count)
		r = order_falling(x->failed, y->failed);
	else if (table->order == TABLE_OWN)
		r = order_falling(x->own, y->own);
	else if (table->order == TABLE_COUNT)
		r = order_falling(x->count, y->count);
	else if (table->order == TABLE_MAX)
		r = order_falling(x->max, y->max);
	return r ? r : strcmp(x->name, y->name);
}

static void view_table_sort(struct table_view *table)
{
	if (table->n)
		qsort_r(table->rows, table->n, sizeof(*table->rows), view_table_compare, table);
}

int view_table_work(struct tui_view *view, uint64_t until)
{
	struct table_view *table = view_table_of(view);
	struct fathom_err err;
	int r = 1;

	while (table->feeding && r == 1 && clock_ns(CLOCK_MONOTONIC) < until)
		r = feed_some(table->feeding, SLICE, &err);
	if (r == 1 && table->feeding)
		return 1;
	if (!table->feeding)
		return 0;
	feed_end(table->feeding);
	table->feeding = NULL;
	if (r == 0)
		r = table->kind->finish(table);
	view_table_sort(table);
	for (size_t i = 0; table->kept[0] && i < table->n; i++)
		if (str_eq(table->rows[i].name, table->kept))
			table->lines.selected = i;
	return r;
}

/* Shows the results so far. */
void view_table_cancel(struct tui_view *view)
{
	struct table_view *table = view_table_of(view);

	if (!table->feeding)
		return;
	feed_end(table->feeding);
	table->feeding = NULL;
	if (table->kind->finish(table) == 0)
		tui_say(view->tui, true, "cancelled after %" PRIu64 " events",
			table->feed.n_events);
	view_table_sort(table);
}

static void view_table_draw_row(struct table_view *table, struct cells *cells,
				const struct cells_area *area, unsigned at,
				const struct table_row *row)
{
	struct strbuf *buf = &table->buf;
	unsigned col;

	strbuf_clear(buf);
	duration_put(buf, row->total);
	if (table->kind->second_is_count && row->failed)
		strbuf_addf(buf, " %9" PRIu64, row->failed);
	else if (table->kind->second_is_count)
		strbuf_adds(buf, "         .");
	else
		duration_put(buf, row->own);
	if (row->off_cpu_unknown)
		strbuf_adds(buf, "         ?");
	else
		duration_put(buf, row->off_cpu);
	strbuf_addf(buf, " %9" PRIu64, row->count);
	duration_put(buf, row->median);
	duration_put(buf, row->max);
	col = cells_puts(cells, area, at, 0, CELL_PLAIN, strbuf_str(buf));
	cells_puts(cells, area, at, col + 2, row->failed ? CELL_WARN : CELL_NAME, row->name);
}

static void view_table_draw_head(struct table_view *table, struct cells *cells,
				 const struct cells_area *area)
{
	const char *titles[] = { "total", table->kind->second, "off-CPU", "count", "median", "max" };
	static const enum table_order orders[] = { TABLE_TOTAL, TABLE_OWN,    TABLE_ORDERS,
						   TABLE_COUNT, TABLE_ORDERS, TABLE_MAX };
	unsigned col = 0;

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		col = cells_putf(cells, area, 0, col, CELL_HEAD, " %*s%s",
				 orders[i] == table->order ? 8 : 9, titles[i],
				 orders[i] == table->order ? "v" : "");
	cells_putf(cells, area, 0, col + 2, CELL_HEAD, "%s%s", table->kind->heading,
		   table->order == TABLE_NAME ? " v" : "");
	cells_paint(cells, area, 0, CELL_HEAD);
}

/*
 * Draws the distribution of the selected row's times; if space is short, the ranges with the
 * highest counts.
 */
static void draw_histogram(struct table_view *table, struct cells *cells,
			   const struct cells_area *area)
{
	const struct table_row *row = &table->rows[table->lines.selected];
	struct histogram_row rows[HISTOGRAM_ROWS];
	size_t n = row->spread ? histogram_rows(row->spread, rows) : 0;
	size_t first = n > area->rows - 1 ? n - (area->rows - 1) : 0;
	char from[DURATION_SIZE], to[DURATION_SIZE];
	uint64_t most = 1;

	cells_putf(cells, area, 0, 1, CELL_STRONG, "%s: distribution of durations", row->name);
	for (size_t i = 0; i < n; i++)
		most = rows[i].count > most ? rows[i].count : most;
	for (size_t i = first; i < n; i++) {
		unsigned at = (unsigned)(i - first + 1);
		unsigned bar = (unsigned)(rows[i].count * BAR / most);
		unsigned col =
			cells_putf(cells, area, at, 0, CELL_PLAIN, "%10s to %-10s %9" PRIu64 "  ",
				   duration_text(rows[i].from, from),
				   rows[i].to ? duration_text(rows[i].to, to) : "", rows[i].count);

		for (unsigned k = 0; k < bar || (k == 0 && rows[i].count); k++)
			col = cells_puts(cells, area, at, col, CELL_GOOD, "#");
	}
}

static void view_table_draw_nothing(struct table_view *table, struct cells *cells,
				    const struct cells_area *area)
{
	if (table->feeding)
		cells_putf(cells, area, 1, 2, CELL_DIM, "reading: %" PRIu64 " events so far",
			   table->feed.n_events);
	else
		cells_puts(cells, area, 1, 2, CELL_DIM,
			   tui_why_empty(table->view.tui, table->kind->empty));
}

void view_table_draw(struct tui_view *view, struct cells *cells, const struct cells_area *area)
{
	struct table_view *table = view_table_of(view);
	bool with_histogram = table->n && area->rows >= 2 * HISTOGRAM_LINES;
	struct cells_area upper = *area, lower = *area;

	if (with_histogram) {
		upper.rows -= HISTOGRAM_LINES;
		lower.row += upper.rows;
		lower.rows = HISTOGRAM_LINES;
	}
	table->lines.page = upper.rows > 1 ? upper.rows - 1 : 1;
	lines_scroll(&table->lines, table->n);
	view_table_draw_head(table, cells, &upper);
	if (!table->n)
		view_table_draw_nothing(table, cells, area);
	for (size_t i = table->lines.top; i < lines_end(&table->lines, table->n); i++) {
		unsigned row = (unsigned)(i - table->lines.top + 1);

		view_table_draw_row(table, cells, &upper, row, &table->rows[i]);
		if (i == table->lines.selected)
			cells_select(cells, &upper, row);
	}
	if (with_histogram)
		draw_histogram(table, cells, &lower);
}

void view_table_status(struct tui_view *view, struct strbuf *buf)
{
	struct table_view *table = view_table_of(view);
	uint64_t first = view->tui->first_time, span = view->tui->last_time - first;

	if (table->feeding && span && table->feed.last >= first)
		strbuf_addf(buf, "reading: %.0f %% (Esc cancels)",
			    100.0 * (double)(table->feed.last - first) / (double)span);
	else if (table->n)
		strbuf_addf(buf, "%zu of %zu", table->lines.selected + 1, table->n);
}

bool view_table_choice(struct tui_view *view, struct view_choice *ret_choice)
{
	struct table_view *table = view_table_of(view);
	const struct table_row *row =
		table->lines.selected < table->n ? &table->rows[table->lines.selected] : NULL;

	if (!row)
		return false;
	*ret_choice = (struct view_choice){ .has_pid = row->worst_pid >= 0,
					    .pid = row->worst_pid,
					    .has_time = row->worst_at != 0,
					    .from = row->worst_at,
					    .to = row->worst_at + row->max };
	/* System calls without a name are shown as their number. */
	if (!str_after(row->name, "system call "))
		tui_take_name(row->name, ret_choice->name);
	return true;
}

bool view_table_click(struct tui_view *view, unsigned row)
{
	struct table_view *table = view_table_of(view);

	return row && lines_click(&table->lines, table->n, row - 1);
}

bool view_table_key(struct tui_view *view, uint32_t key)
{
	struct table_view *table = view_table_of(view);
	struct view_choice choice = { 0 };
	int64_t by;

	if (lines_key(key, table->lines.page, table->n, &by)) {
		lines_move(&table->lines, table->n, by);
		return true;
	}
	switch (key) {
	case 's':
		table->order = (table->order + 1) % TABLE_ORDERS;
		view_table_sort(table);
		lines_select(&table->lines, table->n, 0);
		return true;
	case TUI_KEY_ENTER:
		if (view_table_choice(view, &choice) && choice.has_time)
			tui_show(view->tui, &view_replay, &choice);
		return true;
	default:
		return false;
	}
}

static const char *view_table_text_of(void *data, size_t at)
{
	return ((const struct table_view *)data)->rows[at].name;
}

int view_table_search(struct tui_view *view, const char *text, bool up)
{
	struct table_view *table = view_table_of(view);
	size_t found =
		lines_find(table->n, table->lines.selected, up, text, view_table_text_of, table);

	if (found == SIZE_MAX) {
		tui_say(view->tui, true, "no name contains '%.60s'", text);
		return 0;
	}
	lines_select(&table->lines, table->n, found);
	return 0;
}

int view_table_go(struct tui_view *view, uint64_t time)
{
	return 0;
}
