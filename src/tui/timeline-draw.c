/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/timeline-draw.h"

#include <inttypes.h>
#include <string.h>

#include "render/kit/duration.h"
#include "render/waits/waker.h"

/* Columns for names of lanes, and on the ruler between two times. */
#define GUTTER_NARROW 16
#define GUTTER_WIDE   24
#define WIDE	      110
#define RULER_STEP    16
/* Lines below the lanes, if there is space. */
#define DETAILS 4
/* A CPU's task is named in columns in which it has at least this share of the time. */
#define NAMED_PERCENT 60

unsigned timeline_look_cols(const struct cells_area *area)
{
	unsigned gutter = area->cols >= WIDE ? GUTTER_WIDE : GUTTER_NARROW;

	return area->cols > gutter ? area->cols - gutter : 1;
}

size_t timeline_look_row(const struct timeline_look *look, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_order; i++) {
		const struct timeline_lane *lane = &timeline->lanes[timeline->order[i]];

		if (lane->kind == look->kind && lane->number == look->number)
			return i;
	}
	return 0;
}

uint32_t timeline_look_lane(const struct timeline_look *look, const struct timeline *timeline)
{
	return timeline->n_order ? timeline->order[timeline_look_row(look, timeline)] :
				   TIMELINE_NO_LANE;
}

void timeline_look_choose(struct timeline_look *look, const struct timeline *timeline, size_t row)
{
	const struct timeline_lane *lane = &timeline->lanes[timeline->order[row]];

	look->kind = lane->kind;
	look->number = lane->number;
}

static void timeline_draw_put_task(const struct timeline_look *look, struct strbuf *buf,
				   int32_t pid)
{
	const struct task *task = tasks_find(look->tasks, pid);

	strbuf_addf(buf, "%.*s-%" PRId32, (int)task->len, task->comm, pid);
}

void timeline_put_lane(const struct timeline_look *look, struct strbuf *buf,
		       const struct timeline_lane *lane)
{
	if (lane->kind == LANE_CPU)
		strbuf_addf(buf, "CPU %" PRId32, lane->number);
	else
		timeline_draw_put_task(look, buf, lane->number);
}

void timeline_put_duration(const struct timeline_look *look, struct strbuf *buf, uint64_t span)
{
	char text[DURATION_SIZE];

	if (look->raw_times)
		strbuf_addf(buf, "%" PRIu64, span);
	else
		strbuf_adds(buf, duration_text(span, text));
}

/* Appends as many digits as distinguish the times on the screen. */
static void timeline_draw_put_time(const struct timeline_look *look,
				   const struct timeline *timeline, struct strbuf *buf,
				   uint64_t time)
{
	if (look->raw_times)
		strbuf_addf(buf, "%" PRIu64, time);
	else if (timeline->span / (timeline->cols ?: 1) < 1000)
		strbuf_addf(buf, "%" PRIu64 ".%09" PRIu64, time / 1000000000, time % 1000000000);
	else
		strbuf_addf(buf, "%" PRIu64 ".%06" PRIu64, time / 1000000000,
			    time % 1000000000 / 1000);
}

/* The contents and position of a drawing. */
struct picture {
	struct timeline_look *look;
	const struct timeline *timeline;
	struct cells *cells;
	struct cells_area names, lanes; /* the lanes, and the ruler above them */
	unsigned cursor; /* its column */
};

static void put_at(const struct picture *picture, unsigned row, unsigned col, unsigned style,
		   const char *text, const char *ascii)
{
	if (col == picture->cursor)
		style |= CELL_SELECTED;
	cells_puts(picture->cells, &picture->lanes, row, col, style,
		   picture->cells->ascii ? ascii : text);
}

static void draw_ruler(const struct picture *picture)
{
	const struct timeline *timeline = picture->timeline;
	struct timeline_look *look = picture->look;
	struct cells_area whole = picture->names;

	/* A time that was cut continues before the first mark. */
	whole.cols += RULER_STEP;
	strbuf_clear(&look->buf);
	timeline_draw_put_time(look, timeline, &look->buf, timeline->from);
	cells_puts(picture->cells, &whole, 0, 0, CELL_TIME, strbuf_str(&look->buf));
	for (unsigned col = 0; col < timeline->cols; col++)
		if (timeline->sampled && col >= timeline->n_exact)
			put_at(picture, 0, col, CELL_WARN, "~", "~");
	for (unsigned col = RULER_STEP; col + RULER_STEP / 2 < timeline->cols; col += RULER_STEP) {
		strbuf_clear(&look->buf);
		strbuf_adds(&look->buf, "|+");
		timeline_put_duration(look, &look->buf, timeline->starts[col] - timeline->from);
		cells_puts(picture->cells, &picture->lanes, 0, col, CELL_HEAD,
			   strbuf_str(&look->buf));
	}
	put_at(picture, 0, picture->cursor, CELL_STRONG, "▼", "v");
	for (unsigned i = 0; i < 2; i++)
		if (look->has_mark[i] && look->marks[i] >= timeline->from &&
		    look->marks[i] - timeline->from < timeline->span)
			put_at(picture, 0, timeline_col(timeline, look->marks[i]), CELL_STRONG,
			       i ? "B" : "A", i ? "B" : "A");
}

static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const plain[] = { "_", "_", "-", "-", "=", "=", "#", "#" };

/* Returns eighths of the height; anything above 0 is visible. */
static unsigned timeline_draw_level_of(uint64_t part, uint64_t whole)
{
	double share = whole ? (double)part / (double)whole : 0;
	int level = (int)(share * 8 + 0.5) - 1;

	return level < 0 ? 0 : level > 7 ? 7 : (unsigned)level;
}

static void draw_share(const struct picture *picture, unsigned row, unsigned col, unsigned style,
		       uint64_t part, uint64_t whole)
{
	unsigned level = timeline_draw_level_of(part, whole);

	put_at(picture, row, col, style, blocks[level], plain[level]);
}

static void draw_cell(const struct picture *picture, unsigned row, unsigned col,
		      const struct lane_cell *cell, bool ticks, uint64_t most)
{
	const struct timeline *timeline = picture->timeline;
	uint64_t width = timeline->starts[col + 1] - timeline->starts[col];
	const uint64_t *times = cell->times;

	if (cell->lost)
		put_at(picture, row, col, CELL_ERROR, "?", "?");
	else if (cell->events && ticks)
		put_at(picture, row, col, CELL_EVENT, "│", "|");
	else if (times[LANE_IRQ] > times[LANE_RUNS] && times[LANE_IRQ] > width / 8)
		put_at(picture, row, col, CELL_WARN, "×", "x");
	else if (times[LANE_READY] > times[LANE_RUNS] && times[LANE_READY] > width / 8)
		put_at(picture, row, col, CELL_WARN, "▒", "w");
	else if (times[LANE_RUNS])
		draw_share(picture, row, col, CELL_GOOD, times[LANE_RUNS], width);
	else if (cell->events && !timeline->has_switches)
		draw_share(picture, row, col, CELL_EVENT, cell->events, most);
	else if (times[LANE_READY])
		put_at(picture, row, col, CELL_WARN, "▒", "w");
	else if (times[LANE_BLOCKED])
		put_at(picture, row, col, CELL_ERROR, "░", "b");
	else if (times[LANE_SLEEPS])
		put_at(picture, row, col, CELL_DIM, "·", ".");
	else if (cell->events)
		put_at(picture, row, col, CELL_EVENT, "╷", ",");
	else
		put_at(picture, row, col, CELL_PLAIN, " ", " ");
}

static bool timeline_draw_has_cpu(const struct picture *picture, const struct lane_cell *cell,
				  unsigned col)
{
	uint64_t width = picture->timeline->starts[col + 1] - picture->timeline->starts[col];

	return cell->longest > width / 100 * NAMED_PERCENT && cell->longest;
}

/* Writes the names of a CPU's tasks where there is space. */
static void draw_names(const struct picture *picture, unsigned row, uint32_t number)
{
	const struct timeline *timeline = picture->timeline;
	struct strbuf *buf = &picture->look->buf;
	unsigned end;

	for (unsigned col = 0; col < timeline->cols; col = end) {
		const struct lane_cell *cell = timeline_cell(timeline, number, col);
		unsigned len;

		for (end = col + 1;
		     end < timeline->cols && timeline_draw_has_cpu(picture, cell, col) &&
		     timeline_draw_has_cpu(picture, timeline_cell(timeline, number, end), end) &&
		     timeline_cell(timeline, number, end)->who == cell->who;
		     end++)
			;
		strbuf_clear(buf);
		strbuf_addc(buf, ' ');
		timeline_draw_put_task(picture->look, buf, cell->who);
		strbuf_addc(buf, ' ');
		len = cells_width(picture->cells, strbuf_str(buf), buf->len);
		if (end - col >= len + 2)
			cells_puts(picture->cells, &picture->lanes, row,
				   col + (end - col - len) / 2, CELL_TASK, strbuf_str(buf));
	}
}

static void draw_lane(const struct picture *picture, unsigned row, uint32_t number)
{
	const struct timeline *timeline = picture->timeline;
	const struct timeline_lane *lane = &timeline->lanes[number];
	struct strbuf *buf = &picture->look->buf;
	unsigned with_events = 0;
	uint64_t most = 1, n = 0;

	strbuf_clear(buf);
	timeline_put_lane(picture->look, buf, lane);
	cells_puts(picture->cells, &picture->names, row, 0,
		   lane->kind == LANE_CPU ? CELL_STRONG : CELL_TASK, strbuf_str(buf));
	for (unsigned col = 0; col < timeline->cols; col++) {
		uint32_t events = timeline_cell(timeline, number, col)->events;

		with_events += events != 0;
		n += events;
		most = events > most ? events : most;
	}
	for (unsigned col = 0; col < timeline->cols; col++)
		draw_cell(picture, row, col, timeline_cell(timeline, number, col),
			  with_events <= timeline->cols / 4 && n <= timeline->cols, most);
	if (lane->kind == LANE_CPU)
		draw_names(picture, row, number);
}

/* Draws an arrow from the waker to the selected task. */
static void draw_arrow(const struct picture *picture, uint32_t number)
{
	const struct timeline_look *look = picture->look;
	const struct timeline *timeline = picture->timeline;
	const struct lane_wake *wake = &timeline_cell(timeline, number, picture->cursor)->wake;
	size_t to = timeline_look_row(look, timeline), from = timeline->n_order;

	if (!wake->time || wake->kind != WAKER_TASK)
		return;
	for (size_t i = 0; i < timeline->n_order; i++)
		if (timeline->lanes[timeline->order[i]].kind == LANE_TASK &&
		    timeline->lanes[timeline->order[i]].number == wake->pid)
			from = i;
	if (from == timeline->n_order || from == to)
		return;
	for (size_t i = from < to ? from : to; i <= (from < to ? to : from); i++) {
		bool is_head = i == to, is_start = i == from;
		unsigned row;

		if (!lines_row(&look->lines, i, &row))
			continue;
		put_at(picture, row + 1, picture->cursor, CELL_STRONG,
		       is_start ? "●" :
		       is_head	? (from < to ? "▼" : "▲") :
				  "┃",
		       is_start ? "o" :
		       is_head	? (from < to ? "v" : "^") :
				  "|");
	}
}

static void timeline_draw_put_share(struct strbuf *buf, const char *word, uint64_t part,
				    uint64_t whole)
{
	double percent = whole ? 100 * (double)part / (double)whole : 0;

	if (part)
		strbuf_addf(buf, "  %s %.*f %%", word, percent < 9.95 ? 1 : 0,
			    percent > 100 ? 100 : percent);
}

/* Appends the state of the selected lane in the cursor's column. */
static void put_doing(const struct picture *picture, const struct timeline_lane *lane,
		      const struct lane_cell *cell)
{
	const struct timeline *timeline = picture->timeline;
	struct strbuf *buf = &picture->look->buf;
	unsigned col = picture->cursor;
	uint64_t width = timeline->starts[col + 1] - timeline->starts[col];

	timeline_draw_put_share(buf, lane->kind == LANE_CPU ? "busy" : "running",
				cell->times[LANE_RUNS], width);
	if (cell->longest && lane->kind == LANE_CPU) {
		strbuf_adds(buf, " with ");
		timeline_draw_put_task(picture->look, buf, cell->who);
	} else if (cell->longest) {
		strbuf_addf(buf, " on CPU %" PRId32, cell->who);
	}
	timeline_draw_put_share(buf, "interrupts", cell->times[LANE_IRQ], width);
	timeline_draw_put_share(buf, "runnable", cell->times[LANE_READY], width);
	timeline_draw_put_share(buf, "sleeping", cell->times[LANE_SLEEPS], width);
	timeline_draw_put_share(buf, "blocked", cell->times[LANE_BLOCKED], width);
}

static void timeline_draw_put_events(const struct picture *picture, const struct lane_cell *cell)
{
	const struct event_entry *entry =
		cell->events ? event_table_find(picture->look->events, cell->id) : NULL;
	struct strbuf *buf = &picture->look->buf;

	if (cell->events == 1)
		strbuf_adds(buf, "1 event");
	else
		strbuf_addf(buf, "%s%" PRIu32 " events",
			    picture->timeline->sampled &&
					    picture->cursor >= picture->timeline->n_exact ?
				    "~" :
				    "",
			    cell->events);
	if (entry && entry->format) {
		strbuf_addf(buf, "%s %s at ", cell->events == 1 ? ":" : ", the first",
			    entry->format->name);
		timeline_draw_put_time(picture->look, picture->timeline, buf, cell->first);
	}
	if (cell->lost)
		strbuf_adds(buf, "  (events lost here)");
}

static void put_wake(const struct picture *picture, const struct lane_cell *cell)
{
	const struct lane_wake *wake = &cell->wake;
	struct strbuf *buf = &picture->look->buf;

	strbuf_adds(buf, "woken by ");
	if (wake->kind == WAKER_TASK)
		timeline_draw_put_task(picture->look, buf, wake->pid);
	else if (wake->kind == WAKER_UNKNOWN)
		strbuf_adds(buf, "an unknown task");
	else if (wake->number == WAKER_NO_NUMBER)
		strbuf_addf(buf, "%s", waker_word(wake->kind));
	else
		strbuf_addf(buf, "%s %" PRIu32, waker_word(wake->kind), wake->number);
	strbuf_adds(buf, " at ");
	timeline_draw_put_time(picture->look, picture->timeline, buf, wake->time);
	strbuf_adds(buf, ", ran after ");
	timeline_put_duration(picture->look, buf, wake->wait);
}

/* Appends the distance between the marks A and B or, without them, how the picture was made. */
static void timeline_draw_put_marks(const struct picture *picture)
{
	struct timeline_look *look = picture->look;
	struct strbuf *buf = &look->buf;

	if (!look->has_mark[0] && !look->has_mark[1] && !picture->timeline->has_switches) {
		strbuf_addf(buf, "%s number of events; no scheduler events recorded  ? lost",
			    picture->cells->ascii ? "_-=#" : "▁▄█");
		return;
	}
	if (!look->has_mark[0] && !look->has_mark[1]) {
		strbuf_adds(buf, picture->cells->ascii ?
					 "_-=# running  w runnable  . sleeping  b blocked  "
					 "x interrupt  |, event  ? lost" :
					 "▁▄█ running  ▒ runnable  · sleeping  ░ blocked  "
					 "× interrupt  │╷ event  ? lost");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		strbuf_addf(buf, "%s%c ", i ? "  " : "", i ? 'B' : 'A');
		if (look->has_mark[i])
			timeline_draw_put_time(look, picture->timeline, buf, look->marks[i]);
		else
			strbuf_adds(buf, "is not set");
	}
	if (look->has_mark[0] && look->has_mark[1]) {
		bool back = look->marks[1] < look->marks[0];

		strbuf_addf(buf, "  from A to B %s", back ? "-" : "");
		timeline_put_duration(look, buf,
				      back ? look->marks[0] - look->marks[1] :
					     look->marks[1] - look->marks[0]);
	}
}

static void draw_details(const struct picture *picture, const struct cells_area *area,
			 uint32_t number)
{
	const struct timeline *timeline = picture->timeline;
	const struct lane_cell *cell = timeline_cell(timeline, number, picture->cursor);
	struct strbuf *buf = &picture->look->buf;

	for (unsigned line = 0; line < DETAILS; line++) {
		strbuf_clear(buf);
		if (line == 0) {
			timeline_draw_put_time(picture->look, timeline, buf, picture->look->at);
			strbuf_adds(buf, "  ");
			timeline_put_lane(picture->look, buf, &timeline->lanes[number]);
			put_doing(picture, &timeline->lanes[number], cell);
		} else if (line == 1) {
			timeline_draw_put_events(picture, cell);
		} else if (line == 2 && cell->wake.time) {
			put_wake(picture, cell);
		} else if (line == 3) {
			timeline_draw_put_marks(picture);
		}
		cells_puts(picture->cells, area, line, 1, line == 3 ? CELL_DIM : CELL_PLAIN,
			   strbuf_str(buf));
	}
}

static void draw_lanes(const struct picture *picture)
{
	struct timeline_look *look = picture->look;
	const struct timeline *timeline = picture->timeline;
	struct lines *lines = &look->lines;
	unsigned after;

	lines_select(lines, timeline->n_order, timeline_look_row(look, timeline));
	for (size_t i = lines->top; i < lines_end(lines, timeline->n_order); i++) {
		unsigned at = (unsigned)(i - lines->top) + 1;

		draw_lane(picture, at, timeline->order[i]);
		if (i == lines->selected)
			cells_select(picture->cells, &picture->names, at);
	}
	if (timeline->too_many && lines_row(lines, timeline->n_order, &after))
		cells_puts(picture->cells, &picture->names, after + 1, 0, CELL_WARN,
			   "... and more");
}

void timeline_draw(struct timeline_look *look, const struct timeline *timeline, struct cells *cells,
		   const struct cells_area *area)
{
	unsigned cols = timeline_look_cols(area),
		 gutter = area->cols > cols ? area->cols - cols : 0;
	unsigned details = area->rows >= 2 * DETAILS ? DETAILS : 0;
	struct picture picture = { .look = look,
				   .timeline = timeline,
				   .cells = cells,
				   .names = *area,
				   .lanes = *area,
				   .cursor = timeline_col(timeline, look->at) };
	struct cells_area below = *area;

	picture.names.cols = gutter ? gutter - 1 : 0;
	picture.names.rows = picture.lanes.rows = area->rows - details;
	picture.lanes.col += gutter;
	picture.lanes.cols = cols;
	below.row += area->rows - details;
	below.rows = details;
	look->lines.page = picture.lanes.rows > 1 ? picture.lanes.rows - 1 : 1;
	if (!timeline->n_order) {
		cells_puts(cells, area, 1, 2, CELL_DIM,
			   timeline->phase != TIMELINE_DONE ? "reading" : "there are no events");
		return;
	}
	cells_paint(cells, area, 0, CELL_HEAD);
	draw_ruler(&picture);
	draw_lanes(&picture);
	draw_arrow(&picture, timeline_look_lane(look, timeline));
	if (details)
		draw_details(&picture, &below, timeline_look_lane(look, timeline));
}
