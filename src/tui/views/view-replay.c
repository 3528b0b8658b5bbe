/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tasks did, in chronological order and nested. A piece of the trace is read, with as many
 * lines as are kept at once; at its ends, the next piece is read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/calls/phases.h"
#include "analyze/stream/feed.h"
#include "base/clock.h"
#include "base/err.h"
#include "render/time/call-texts.h"
#include "render/kit/duration.h"
#include "render/time/replay-label.h"
#include "render/kit/table.h"
#include "tui/lines.h"
#include "tui/replay-find.h"
#include "tui/replay-lines.h"
#include "tui/view.h"

#define SLICE 1024
#define DEPTH 64 /* number of levels that are kept */
/*
 * How long before the visible range to look for the start of calls, unless there are too many
 * events in between.
 */
#define LEAD	    100000000
#define LEAD_EVENTS 20000
/* The number of events to show at the end of a growing trace. */
#define FOLLOWED_EVENTS 2000
#define NONE		REPLAY_LINES_NONE
/* The column of names, below their title. */
#define COL_WHAT 30
/* The minimum length of the first step upwards. */
#define STEP_MIN 1000000

/* A search beyond the piece that was read: piece by piece downwards, or in steps upwards. */
struct hunt {
	struct replay_find what;
	bool on;
	bool lands; /* found; the piece is being read */
	bool has_best; /* upwards: the last match in this step, */
	struct replay_where best; /* and where it is */
	uint64_t span; /* length of a step */
	struct replay_where origin; /* where to return if nothing is found */
	uint64_t n_events;
};

struct replay_view_tui {
	struct tui_view view; /* must be first */
	struct phases *phases;
	struct replay *replay;
	struct call_texts texts;
	struct replay_view names;
	struct fathom_window window;
	struct feed feed;
	struct feeding *feeding; /* NULL: not reading */
	struct replay_lines lines;
	struct strbuf buf;
	uint64_t from; /* trees that ended before are omitted */
	uint64_t to; /* time of the last event read */
	bool more; /* the trace continues after it */
	bool to_end; /* select the last line */
	struct replay_where where; /* otherwise, this one */
	bool has_piece;
	struct lines seen; /* of the lines that no fold hides */
	bool at_end; /* after a jump to the last line, show the lines above it */
	struct hunt hunt;
	bool uncentred; /* after a jump, the lines around the target are not visible yet */
};

static struct replay_view_tui *view_replay_of(struct tui_view *view)
{
	return (struct replay_view_tui *)view;
}

static void stop_reading(struct replay_view_tui *view)
{
	feed_end(view->feeding);
	view->feeding = NULL;
	replay_free(view->replay);
	view->replay = NULL;
	call_texts_done(&view->texts);
	view->texts = (struct call_texts){ 0 };
}

static void view_replay_done(struct tui_view *tui_view)
{
	struct replay_view_tui *view = view_replay_of(tui_view);

	stop_reading(view);
	phases_free(view->phases);
	replay_lines_done(&view->lines);
	strbuf_done(&view->names.buf);
	strbuf_done(&view->names.name);
	free(view->names.room);
	strbuf_done(&view->buf);
}

static unsigned view_replay_style_of(const struct replay_node *node)
{
	bool failed = node->flags & REPLAY_HAS_RESULT && node->result < 0 && node->result >= -4095;

	switch (node->kind) {
	case REPLAY_SYSCALL:
		return failed ? CELL_ERROR : CELL_STRONG;
	case REPLAY_CALL:
	case REPLAY_FUNCTION:
		return failed ? CELL_ERROR : CELL_NAME;
	case REPLAY_AWAY:
	case REPLAY_IRQ:
	case REPLAY_SOFTIRQ:
	case REPLAY_LOST:
		return CELL_WARN;
	default:
		return CELL_DIM;
	}
}

static void view_replay_add_line(struct replay_view_tui *view, const struct replay *replay,
				 int32_t pid, uint32_t at, uint32_t parent)
{
	const struct replay_tree *tree = replay_tree(replay);
	const struct replay_node *node = &tree->nodes[at];
	uint32_t number = (uint32_t)view->lines.n;
	struct replay_line *line = replay_lines_add(&view->lines, parent);

	if (!line)
		return;
	line->pid = pid;
	line->cpu = node->cpu;
	line->start = node->start;
	line->total = node->times.total;
	line->stolen = node->times.stolen;
	line->asleep = node->times.asleep;
	line->style = (uint8_t)view_replay_style_of(node);
	line->failed = line->style == CELL_ERROR;
	line->has_time = !(node->flags & REPLAY_NO_END) && node->kind != REPLAY_EVENT &&
			 node->kind != REPLAY_LOST && node->kind != REPLAY_FUNCTION;
	strbuf_clear(&view->buf);
	replay_put_label(&view->names, replay, node, pid, &view->buf);
	line->text = replay_lines_text(&view->lines, strbuf_str(&view->buf));
	strbuf_clear(&view->buf);
	replay_put_remarks(node, false, &view->buf);
	line->remarks = replay_lines_text(&view->lines, strbuf_str(&view->buf));
	for (uint32_t child = node->first; child != REPLAY_NONE; child = tree->nodes[child].next)
		view_replay_add_line(view, replay, pid, child, number);
}

static void take_tree(void *data, const struct replay *replay, int32_t pid, uint32_t node)
{
	struct replay_view_tui *view = data;
	const struct replay_node *root = &replay_tree(replay)->nodes[node];

	if (!(root->flags & REPLAY_NO_END) && root->start + root->times.total < view->from)
		return;
	view_replay_add_line(view, replay, pid, node, NONE);
	replay_lines_end_block(&view->lines);
	view->feed.stop |= view->lines.n >= REPLAY_LINES_MAX;
}

static void view_replay_take(void *data, const struct decoded_event *decoded)
{
	struct replay_view_tui *view = data;

	call_texts_feed(&view->texts, decoded);
	replay_feed(view->replay, decoded);
	call_texts_clear(&view->texts, decoded);
}

static void view_replay_put_call(void *data, int32_t pid, struct strbuf *buf)
{
	strbuf_adds(buf, call_texts_get(data, pid));
}

/*
 * The scope's task is selected here instead of by events: events of other tasks say why it waited.
 */
static bool view_replay_has_task(const void *scope, int32_t pid, const char *name)
{
	return pid == ((const struct scope *)scope)->pid;
}

/* Returns the time before which nothing is shown. */
static uint64_t view_replay_earliest(const struct tui *tui)
{
	return tui->scope->window.from > tui->first_time ? tui->scope->window.from :
							   tui->first_time;
}

/* Returns where to read from, to know the start of calls that are open at @from. */
static uint64_t lead_to(struct replay_view_tui *view, uint64_t from)
{
	struct tui *tui = view->view.tui;
	uint64_t start = from > LEAD ? from - LEAD : 0;
	struct fathom_cursor *cursor;
	struct fathom_event event = { 0 };
	unsigned n = 0;

	if (start <= tui->scope->window.from)
		return tui->scope->window.from;
	if (fathom_cursor_new(tui->trace, &tui->scope->window, &cursor, NULL) < 0)
		return start;
	if (fathom_cursor_seek(cursor, from) == 0)
		while (n < LEAD_EVENTS && fathom_cursor_prev(cursor, &event) == 1 &&
		       event.time >= start)
			n++;
	/* Where the clock goes back, the last one may be later. */
	if (n == LEAD_EVENTS && event.time < from)
		start = event.time;
	fathom_cursor_free(cursor);
	return start;
}

/* Starts reading the piece at @from. */
static int read_piece(struct replay_view_tui *view, uint64_t from, struct fathom_err *err)
{
	struct tui *tui = view->view.tui;
	struct replay_options options = { .kallsyms = report_kallsyms(tui->report),
					  .tasks = report_tasks(tui->report),
					  .trace = tui->trace,
					  .phases = view->phases,
					  .depth = DEPTH,
					  .put_call = view_replay_put_call,
					  .put_call_data = &view->texts,
					  .put_wait = replay_put_wait,
					  .has_task = tui->scope->has_pid ? view_replay_has_task :
									    NULL,
					  .has_task_data = tui->scope,
					  .take = take_tree,
					  .take_data = view };
	int r;

	stop_reading(view);
	replay_lines_clear(&view->lines);
	view->seen.selected = view->seen.top = 0;
	view->from = from;
	view->window = tui->scope->window;
	view->window.from = lead_to(view, from);
	view->names.report = tui->report;
	if (replay_new(&options, &view->replay) < 0)
		return err_nomem(err);
	view->feed = (struct feed){ .trace = tui->trace,
				    .window = &view->window,
				    .events = report_events(tui->report),
				    .wanted = tui->filtered ? tui_filter_passes : NULL,
				    .wanted_data = tui,
				    .filtered = ~UINT64_C(0),
				    .with_unwanted = true };
	r = feed_begin(&view->feed, view_replay_take, view, &view->feeding, err);
	view->has_piece = r == 0;
	return r;
}

/* The same, and ends a search in progress. */
static int view_replay_begin(struct replay_view_tui *view, uint64_t from, struct fathom_err *err)
{
	view->hunt.on = false;
	return read_piece(view, from, err);
}

static int view_replay_load(struct tui_view *tui_view, struct fathom_err *err)
{
	struct replay_view_tui *view = view_replay_of(tui_view);
	int r = view->phases ? 0 :
			       phases_parse(phases_default, phases_default_len, &view->phases, err);

	return r < 0 ? r : view_replay_begin(view, tui_view->tui->scope->window.from, err);
}

static const struct replay_line *view_replay_chosen(const struct replay_view_tui *view,
						    uint32_t *ret_number)
{
	if (view->seen.selected >= view->lines.n_shown)
		return NULL;
	if (ret_number)
		*ret_number = view->lines.shown[view->seen.selected];
	return &view->lines.lines[view->lines.shown[view->seen.selected]];
}

static void view_replay_scroll(struct replay_view_tui *view)
{
	lines_scroll(&view->seen, view->lines.n_shown);
}

/* Returns how many rows to show above the target of a jump. */
static size_t rows_above(const struct replay_view_tui *view)
{
	return view->at_end && view->seen.page ? view->seen.page - 1 : view->seen.page / 3;
}

/* After a jump to the selected line, shows its surroundings, and most of its contents. */
static void centre(struct replay_view_tui *view)
{
	uint32_t number;
	const struct replay_line *line = view_replay_chosen(view, &number);
	size_t inside = line && !line->folded ? line->end - number - 1 : 0,
	       above = rows_above(view);
	unsigned row;

	view->uncentred = !view->seen.page;
	if (!lines_row(&view->seen, view->seen.selected, &row) ||
	    row + (inside < above ? inside : above) >= view->seen.page)
		lines_place(&view->seen, above);
	view_replay_scroll(view);
}

static void view_replay_choose(struct replay_view_tui *view, uint32_t line)
{
	if (line == NONE)
		return;
	replay_lines_reveal(&view->lines, line);
	view->seen.selected = replay_lines_place(&view->lines, line);
	centre(view);
}

static void say_none(struct replay_view_tui *view)
{
	const struct replay_find *what = &view->hunt.what;

	if (what->kind == REPLAY_FIND_TEXT)
		tui_say(view->view.tui, true, "'%.60s' not found %s", what->text,
			what->up ? "above: 'n' searches below" : "below: 'N' searches above");
	else
		tui_say(view->view.tui, true, "none found %s",
			what->up ? "before" : "after this one");
}

/* Returns 1 while the piece is being read, or a negative errno. */
static int hunt_in(struct replay_view_tui *view, uint64_t from)
{
	struct fathom_err err;
	int r = read_piece(view, from, &err);

	view->hunt.on &= r == 0;
	return r < 0 ? r : 1;
}

/* Goes to the match, or back to where the search began, and ends the search. */
static int hunt_back(struct replay_view_tui *view, const struct replay_where *to, bool found)
{
	struct hunt *hunt = &view->hunt;

	if (!found)
		say_none(view);
	hunt->on = hunt->lands = found;
	view->where = *to;
	return hunt_in(view, to->time);
}

/* Takes the next step upwards, from @high on. */
static int hunt_above(struct replay_view_tui *view, uint64_t high)
{
	struct hunt *hunt = &view->hunt;
	uint64_t least = view_replay_earliest(view->view.tui);

	if (high <= least)
		return hunt_back(view, &hunt->origin, false);
	hunt->what.to = high;
	hunt->what.from = high - least > hunt->span ? high - hunt->span : least;
	hunt->span = hunt->span < UINT64_MAX / 2 ? hunt->span * 2 : hunt->span;
	return hunt_in(view, hunt->what.from);
}

/* Called when a piece was read. Returns 0 if the search has ended, 1 if another piece is read. */
static int hunt_on(struct replay_view_tui *view)
{
	struct hunt *hunt = &view->hunt;
	struct replay_find exact = hunt->what;
	uint64_t next = view->to > view->from ? view->to : view->from + 1;
	uint32_t found;

	if (hunt->lands) {
		exact.from = view->where.time;
		exact.to = exact.from + 1;
		exact.since = 0;
	}
	found = replay_find(&view->lines, &exact, NONE);
	if (hunt->lands || (found != NONE && !hunt->what.up)) {
		hunt->on = hunt->lands = false;
		view_replay_choose(view, found);
		return 0;
	}
	if (!hunt->what.up) {
		hunt->what.since = next;
		return view->more ? hunt_in(view, next) : hunt_back(view, &hunt->origin, false);
	}
	if (found != NONE) {
		const struct replay_line *line = &view->lines.lines[found];

		hunt->has_best = true;
		hunt->best = (struct replay_where){ .time = line->start,
						    .has_pid = true,
						    .pid = line->pid };
	}
	if (view->more && next < hunt->what.to)
		return hunt_in(view, next);
	return hunt->has_best ? hunt_back(view, &hunt->best, true) :
				hunt_above(view, hunt->what.from);
}

/* Continues the search beyond the ends of the piece. */
static void hunt_begin(struct replay_view_tui *view)
{
	struct hunt *hunt = &view->hunt;
	const struct replay_line *line = view_replay_chosen(view, NULL);
	uint64_t span = view->to > view->from ? view->to - view->from : 0, high = view->from;
	int r = 0;

	if (!line || (!hunt->what.up && !view->more) ||
	    (hunt->what.up && high <= view_replay_earliest(view->view.tui))) {
		say_none(view);
		return;
	}
	hunt->on = true;
	hunt->lands = hunt->has_best = false;
	hunt->n_events = 0;
	hunt->origin =
		(struct replay_where){ .time = line->start, .has_pid = true, .pid = line->pid };
	if (hunt->what.up) {
		hunt->span = span > STEP_MIN ? span : STEP_MIN;
		r = hunt_above(view, line->start < high ? line->start : high);
	} else {
		hunt->what.from = line->start + 1;
		hunt->what.since = view->to > view->from ? view->to : view->from + 1;
		r = hunt_in(view, hunt->what.since);
	}
	if (r < 0)
		tui_say(view->view.tui, true, "out of memory");
}

/* Finds the next match, folded or not, in the piece or beyond it. */
static void view_replay_find(struct replay_view_tui *view, enum replay_find_kind kind, bool up,
			     const char *text)
{
	struct replay_find *what = &view->hunt.what;
	uint32_t from = NONE, found;

	*what = (struct replay_find){ .kind = kind, .up = up, .to = UINT64_MAX };
	if (!view_replay_chosen(view, &from) || view->feeding) {
		say_none(view);
		return;
	}
	if (kind == REPLAY_FIND_SAME)
		replay_find_name(&view->lines, from, what->text);
	else
		snprintf(what->text, sizeof(what->text), "%s", text);
	found = replay_find(&view->lines, what, from);
	if (found == NONE)
		hunt_begin(view);
	else
		view_replay_choose(view, found);
}

/* Called when the piece was read, as far as it is kept. */
static int view_replay_finish(struct replay_view_tui *view)
{
	bool stopped = view->feed.stop;
	int r = call_texts_finish(&view->texts);
	uint32_t found;

	if (r == 0)
		r = replay_finish(view->replay);
	view->more = stopped;
	view->to = view->feed.last;
	view->hunt.n_events += view->feed.n_events;
	stop_reading(view);
	replay_lines_finish(&view->lines, 0);
	if (r == 0 && view->hunt.on && !view->lines.nomem) {
		r = hunt_on(view);
		if (r)
			return r;
		centre(view);
		return 0;
	}
	found = replay_lines_at(&view->lines, &view->where);
	if (view->to_end)
		view->seen.selected = view->lines.n_shown ? view->lines.n_shown - 1 : 0;
	else if (view->where.has_pid)
		view_replay_choose(view, found);
	else
		view->seen.selected = replay_lines_place(&view->lines, found);
	view->at_end = view->to_end;
	view->to_end = false;
	centre(view);
	view->at_end &= view->uncentred;
	return r < 0 || view->lines.nomem || view->names.nomem ? -ENOMEM : 0;
}

static int view_replay_work(struct tui_view *tui_view, uint64_t until)
{
	struct replay_view_tui *view = view_replay_of(tui_view);
	const struct replay_line *line;
	struct fathom_err err;
	int r = 1;

	while (view->feeding && r == 1) {
		r = feed_some(view->feeding, SLICE, &err);
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			break;
	}
	if (view->feeding && r == 1)
		return 1;
	if (view->feeding)
		r = r < 0 ? (stop_reading(view), r) : view_replay_finish(view);
	else
		r = 0;
	line = view_replay_chosen(view, NULL);
	if (line && r == 0)
		tui_view->tui->place = line->start;
	return r;
}

static void view_replay_cancel(struct tui_view *tui_view)
{
	struct replay_view_tui *view = view_replay_of(tui_view);

	if (!view->feeding)
		return;
	if (view->hunt.on) {
		/* The piece that was being read is useless now. */
		view->hunt.on = false;
		view->where = view->hunt.origin;
		tui_view->tui->wants_work = hunt_in(view, view->hunt.origin.time) == 1;
		tui_say(tui_view->tui, true, "search cancelled");
		return;
	}
	view->feed.stop = true;
	if (view_replay_finish(view) < 0)
		tui_say(tui_view->tui, true, "out of memory");
}

/* Draws the callers of the first line, which are scrolled out. */
static void draw_crumbs(struct replay_view_tui *view, struct cells *cells,
			const struct cells_area *area)
{
	const struct replay_lines *lines = &view->lines;
	uint32_t path[DEPTH + 1];
	unsigned n = 0, col = COL_WHAT;
	const struct replay_line *top;

	cells_puts(cells, area, 0, 0, CELL_HEAD, "            time   duration   what");
	cells_paint(cells, area, 0, CELL_HEAD);
	if (view->seen.top >= lines->n_shown)
		return;
	top = &lines->lines[lines->shown[view->seen.top]];
	for (uint32_t up = top->parent; up != NONE && n <= DEPTH; up = lines->lines[up].parent)
		path[n++] = up;
	while (n) {
		const char *text = replay_lines_get(lines, lines->lines[path[--n]].text);

		col = cells_put(cells, area, 0, col, CELL_HEAD, text, strcspn(text, "("));
		col = cells_puts(cells, area, 0, col, CELL_HEAD, " > ");
	}
}

static void view_replay_draw_line(struct replay_view_tui *view, struct cells *cells,
				  const struct cells_area *area, unsigned at, uint32_t number)
{
	const struct replay_lines *lines = &view->lines;
	const struct replay_line *line = &lines->lines[number];
	bool has_inside = line->end > number + 1;
	char time[TIME_TEXT_SIZE];
	unsigned col;

	strbuf_clear(&view->buf);
	strbuf_addc(&view->buf, line->has_time ? duration_mark(line->total) : ' ');
	duration_put(&view->buf, line->has_time ? line->total : 0);
	cells_putf(cells, area, at, 0, CELL_TIME, "%16s",
		   time_text(line->start, view->view.tui->raw_times, false, time));
	cells_puts(cells, area, at, 17, CELL_PLAIN, strbuf_str(&view->buf));
	col = COL_WHAT + 2U * line->level;
	col = cells_puts(cells, area, at, col, CELL_DIM,
			 !has_inside  ? "  " :
			 line->folded ? "+ " :
					"- ");
	col = cells_puts(cells, area, at, col, line->style, replay_lines_get(lines, line->text));
	cells_puts(cells, area, at, col, CELL_DIM, replay_lines_get(lines, line->remarks));
}

/* Draws the task of a line, if it differs from that of the line above. */
static void draw_task(struct replay_view_tui *view, struct cells *cells,
		      const struct cells_area *area, unsigned at, const struct replay_line *line)
{
	const struct task *task = tasks_find(report_tasks(view->view.tui->report), line->pid);
	char name[48];
	int len = snprintf(name, sizeof(name), " %.*s-%" PRId32, (int)task->len, task->comm,
			   line->pid);
	unsigned width = len > 0 ? cells_width(cells, name, (size_t)len) : 0;

	if (width + 40 < area->cols)
		cells_puts(cells, area, at, area->cols - width, CELL_TASK, name);
}

static void view_replay_draw(struct tui_view *tui_view, struct cells *cells,
			     const struct cells_area *area)
{
	struct replay_view_tui *view = view_replay_of(tui_view);
	const struct replay_lines *lines = &view->lines;
	int32_t pid = -1;

	view->seen.page = area->rows > 1 ? area->rows - 1 : 1;
	if (view->uncentred)
		lines_place(&view->seen, rows_above(view));
	view->uncentred = false;
	view_replay_scroll(view);
	draw_crumbs(view, cells, area);
	if (view->feeding || !lines->n_shown) {
		cells_puts(cells, area, 1, 2, CELL_DIM,
			   view->feeding ? (view->hunt.on ? "searching" : "reading") :
					   tui_why_empty(tui_view->tui, "no events"));
		return;
	}
	for (size_t i = view->seen.top; i < lines_end(&view->seen, lines->n_shown); i++) {
		const struct replay_line *line = &lines->lines[lines->shown[i]];
		unsigned row = (unsigned)(i - view->seen.top) + 1;

		view_replay_draw_line(view, cells, area, row, lines->shown[i]);
		if (line->pid != pid)
			draw_task(view, cells, area, row, line);
		pid = line->pid;
		if (i == view->seen.selected)
			cells_select(cells, area, row);
	}
}

static void view_replay_status(struct tui_view *tui_view, struct strbuf *buf)
{
	struct replay_view_tui *view = view_replay_of(tui_view);
	uint64_t first = tui_view->tui->first_time, span = tui_view->tui->last_time - first;
	const struct replay_line *line = view_replay_chosen(view, NULL);
	char text[DURATION_SIZE];

	if (view->feeding && view->hunt.on) {
		strbuf_adds(buf, "searching for ");
		if (view->hunt.what.text[0])
			strbuf_addf(buf, "'%.60s'", view->hunt.what.text);
		else
			strbuf_adds(buf, view->hunt.what.kind == REPLAY_FIND_FAILED ? "failures" :
										      "slow lines");
		strbuf_addf(buf, ": %" PRIu64 " events, at %.0f %% (Esc cancels)",
			    view->hunt.n_events + view->feed.n_events,
			    span && view->feed.last > first ?
				    100.0 * (double)(view->feed.last - first) / (double)span :
				    0);
		return;
	}
	if (view->feeding) {
		strbuf_addf(buf, "reading: %" PRIu64 " events (Esc cancels)", view->feed.n_events);
		return;
	}
	if (!line)
		return;
	strbuf_addf(buf, "%.1f %%",
		    span && line->start > first ?
			    100.0 * (double)(line->start - first) / (double)span :
			    0);
	if (line->asleep)
		strbuf_addf(buf, "   off-CPU %s", duration_text(line->asleep, text));
	if (line->stolen)
		strbuf_addf(buf, "   interrupted %s", duration_text(line->stolen, text));
}

/* Reads the next or the previous piece. */
static void read_on(struct replay_view_tui *view, bool before)
{
	struct fathom_err err;
	uint64_t first = view->lines.n_blocks ? view->lines.blocks[0].start : view->from;
	uint64_t span = view->to > first ? view->to - first : 0;
	uint64_t from = view->to, least = view_replay_earliest(view->view.tui);

	if (before) {
		if (first <= least || !span)
			return;
		from = first > span && first - span > least ? first - span : least;
	} else if (!view->more) {
		return;
	}
	view->to_end = before;
	view->view.tui->place = from;
	view->where = (struct replay_where){ .time = from };
	if (view_replay_begin(view, from, &err) < 0)
		tui_say(view->view.tui, true, "%s", err.message);
}

static void view_replay_move(struct replay_view_tui *view, int64_t by)
{
	if (by < 0 && !view->seen.selected)
		read_on(view, true);
	else if (by > 0 && view->seen.selected + 1 >= view->lines.n_shown)
		read_on(view, false);
	else
		lines_move(&view->seen, view->lines.n_shown, by);
}

static void view_replay_fold(struct replay_view_tui *view, uint32_t number, bool folded)
{
	struct replay_line *line = &view->lines.lines[number];

	/* A line that is folded already, or contains nothing, folds the line that contains it. */
	if (folded && (line->folded || line->end == number + 1) && line->parent != NONE) {
		number = line->parent;
		line = &view->lines.lines[number];
	}
	line->folded = folded && line->end > number + 1;
	replay_lines_show(&view->lines);
	view->seen.selected = replay_lines_place(&view->lines, number);
	centre(view);
}

static bool act(struct replay_view_tui *view, uint32_t number, uint32_t key)
{
	const struct replay_lines *lines = &view->lines;

	switch (key) {
	case TUI_KEY_ENTER:
		view_replay_fold(view, number,
				 !lines->lines[number].folded &&
					 lines->lines[number].end > number + 1);
		return true;
	case TUI_KEY_RIGHT:
		view_replay_fold(view, number, false);
		return true;
	case TUI_KEY_LEFT:
		view_replay_fold(view, number, true);
		return true;
	case 'l':
		view_replay_choose(view, replay_lines_longest(lines, number));
		return true;
	case 'u':
		view_replay_choose(view, lines->lines[number].parent);
		return true;
	case ']':
	case '[':
		view_replay_choose(view, replay_lines_sibling(lines, number, key == '['));
		return true;
	case '.':
	case ',':
		view_replay_find(view, REPLAY_FIND_SAME, key == ',', "");
		return true;
	case '!':
	case '>':
		view_replay_find(view, key == '!' ? REPLAY_FIND_FAILED : REPLAY_FIND_LONG, false,
				 "");
		return true;
	default:
		return false;
	}
}

static bool view_replay_key(struct tui_view *tui_view, uint32_t key)
{
	struct replay_view_tui *view = view_replay_of(tui_view);
	int64_t page = view->seen.page > 1 ? view->seen.page - 1 : 1, by;
	uint32_t number;

	switch (key) {
	case 'g':
	case TUI_KEY_HOME:
		tui_view->tui->place = view_replay_earliest(tui_view->tui);
		return tui_view->ops->go(tui_view, tui_view->tui->place) == 0;
	case 'G':
	case TUI_KEY_END:
		lines_select(&view->seen, view->lines.n_shown, SIZE_MAX);
		return true;
	default:
		if (!lines_key(key, page, 0, &by))
			return view_replay_chosen(view, &number) && act(view, number, key);
		/* Until it was read, there is nothing to move in. */
		if (!view->feeding)
			view_replay_move(view, by);
		return true;
	}
}

static int view_replay_search(struct tui_view *tui_view, const char *text, bool up)
{
	view_replay_find(view_replay_of(tui_view), REPLAY_FIND_TEXT, up, text);
	return 0;
}

static int view_replay_go(struct tui_view *tui_view, uint64_t time)
{
	struct replay_view_tui *view = view_replay_of(tui_view);
	const struct view_choice *target = &tui_view->tui->target;
	struct fathom_err err;

	tui_view->tui->place = time;
	view->where = (struct replay_where){ .time = time,
					     .has_pid = target->has_pid,
					     .pid = target->pid,
					     .failed = target->failed };
	if (view->has_piece && !view->feeding && view->lines.n_blocks &&
	    time >= view->lines.blocks[0].start && (!view->more || time < view->to)) {
		view_replay_choose(view, replay_lines_at(&view->lines, &view->where));
		return 0;
	}
	return view_replay_begin(view, time, &err);
}

/* The last piece has few events; it is read again and again. */
static void view_replay_follow(struct tui_view *tui_view)
{
	struct replay_view_tui *view = view_replay_of(tui_view);
	struct tui *tui = tui_view->tui;
	struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	struct fathom_err err;
	uint64_t from = view_replay_earliest(tui);

	if (fathom_cursor_new(tui->trace, &tui->scope->window, &cursor, NULL) == 0 &&
	    fathom_cursor_last(cursor, FOLLOWED_EVENTS, NULL) == 0 &&
	    fathom_cursor_next(cursor, &event) == 1 && event.time > from)
		from = event.time;
	fathom_cursor_free(cursor);
	view->where = (struct replay_where){ .time = tui->last_time };
	view->to_end = true;
	if (view_replay_begin(view, from, &err) < 0)
		tui_say(tui, true, "%s", err.message);
}

static bool view_replay_choice(struct tui_view *tui_view, struct view_choice *ret_choice)
{
	const struct replay_line *line = view_replay_chosen(view_replay_of(tui_view), NULL);

	if (!line)
		return false;
	*ret_choice =
		(struct view_choice){ .has_pid = true,
				      .pid = line->pid,
				      .has_cpu = true,
				      .cpu = line->cpu,
				      .has_time = true,
				      .from = line->start,
				      .to = line->start + (line->has_time ? line->total : 0) };
	tui_take_name(replay_lines_get(&view_replay_of(tui_view)->lines, line->text),
		      ret_choice->name);
	return true;
}

static bool view_replay_click(struct tui_view *tui_view, unsigned row)
{
	struct replay_view_tui *view = view_replay_of(tui_view);

	return row && lines_click(&view->seen, view->lines.n_shown, row - 1);
}

static void view_replay_turn_to(struct tui_view *tui_view)
{
	if (tui_view->tui->place)
		view_replay_go(tui_view, tui_view->tui->place);
}

static const struct view_key keys[] = {
	{ { 'j', TUI_KEY_DOWN }, "next line" },
	{ { 'k', TUI_KEY_UP }, "previous line" },
	{ { TUI_KEY_PAGE_DOWN, ' ' }, "page down" },
	{ { TUI_KEY_PAGE_UP }, "page up" },
	{ { 'g', TUI_KEY_HOME }, "start of the trace" },
	{ { 'G', TUI_KEY_END }, "end of the section that was read" },
	{ { TUI_KEY_ENTER }, "expand or collapse" },
	{ { TUI_KEY_RIGHT, TUI_KEY_LEFT }, "expand; collapse" },
	{ { 'l' }, "go to the longest child" },
	{ { 'u' }, "go to the parent" },
	{ { ']', '[' }, "next, previous line of the same parent" },
	{ { '.', ',' }, "next, previous line of the same name" },
	{ { '!' }, "next failure" },
	{ { '>' }, "next line with a self time of at least 1 ms" },
};

const struct view_ops view_replay = {
	.name = "Replay",
	.keys = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.size = sizeof(struct replay_view_tui),
	.load = view_replay_load,
	.done = view_replay_done,
	.turn_to = view_replay_turn_to,
	.draw = view_replay_draw,
	.status = view_replay_status,
	.key = view_replay_key,
	.search = view_replay_search,
	.go = view_replay_go,
	.follow = view_replay_follow,
	.work = view_replay_work,
	.cancel = view_replay_cancel,
	.click = view_replay_click,
	.choice = view_replay_choice,
};
