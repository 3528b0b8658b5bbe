/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs and tasks over time, from the whole trace down to a single event. */
#include <errno.h>
#include <string.h>

#include "tui/timeline-draw.h"
#include "tui/view.h"

struct timeline_view {
	struct tui_view view; /* must be first */
	struct timeline timeline;
	struct timeline_look look;
};

static struct timeline_view *view_timeline_of(struct tui_view *view)
{
	return (struct timeline_view *)view;
}

static int view_timeline_load(struct tui_view *view, struct fathom_err *err)
{
	struct timeline_view *self = view_timeline_of(view);
	struct timeline *timeline = &self->timeline;
	struct tui *tui = view->tui;
	struct fathom_window window = tui->scope->window;
	uint64_t from = timeline->from, span = timeline->span;
	unsigned cols = timeline->cols;
	/* If all of a growing trace is visible, keep it so. */
	bool grows = tui->follows && span && span >= timeline_whole(timeline);
	int r;

	if (tui->scope->has_pid) {
		window.pids = &tui->scope->pid;
		window.n_pids = 1;
	}
	timeline_done(timeline);
	r = timeline_init(timeline,
			  &(struct timeline_options){
				  .trace = tui->trace,
				  .events = report_events(tui->report),
				  .tasks = report_tasks(tui->report),
				  .window = &window,
				  .first = tui->first_time,
				  .last = tui->last_time,
				  .wanted = tui->filtered ? tui_filter_passes : NULL,
				  .wanted_data = tui,
			  },
			  err);
	if (r < 0)
		return r;
	/* Keep the visible range if it still exists. */
	if (span && !grows && from >= timeline->first && span <= timeline_whole(timeline) &&
	    from - timeline->first <= timeline_whole(timeline) - span) {
		timeline->from = from;
		timeline->span = span;
	}
	if (self->look.at < timeline->from || self->look.at - timeline->from >= timeline->span)
		self->look.at = timeline->from;
	self->look.lines.top = 0;
	self->look.raw_times = tui->raw_times;
	self->look.tasks = report_tasks(tui->report);
	self->look.events = report_events(tui->report);
	return cols && timeline_resize(timeline, cols) < 0 ? -ENOMEM : 0;
}

static void view_timeline_done(struct tui_view *view)
{
	timeline_done(&view_timeline_of(view)->timeline);
	strbuf_done(&view_timeline_of(view)->look.buf);
}

/* Shows another range, if it differs. */
static void view_timeline_show(struct timeline_view *self, uint64_t from, uint64_t span)
{
	struct timeline *timeline = &self->timeline;
	uint64_t old_from = timeline->from, old_span = timeline->span;

	if (from == old_from && span == old_span)
		return;
	timeline_show(timeline, from, span);
	self->look.lines.top = 0;
}

/* Moves the cursor to a time in the range; if that is not visible, centres it. */
static void go_to(struct timeline_view *self, uint64_t time)
{
	struct timeline *timeline = &self->timeline;
	uint64_t half = timeline->span / 2;

	if (time < timeline->first)
		time = timeline->first;
	if (time > timeline->last)
		time = timeline->last;
	self->look.at = time;
	if (time < timeline->from || time - timeline->from >= timeline->span)
		view_timeline_show(self, time > half ? time - half : 0, timeline->span);
}

/* Sets the common position: to an event of the lane, if the column has one. */
static void publish_place(struct timeline_view *self)
{
	struct timeline *timeline = &self->timeline;
	uint32_t lane = timeline_look_lane(&self->look, timeline);
	unsigned col = timeline_col(timeline, self->look.at);
	const struct lane_cell *cell;

	self->view.tui->place = self->look.at;
	if (lane == TIMELINE_NO_LANE || !timeline->cols)
		return;
	cell = timeline_cell(timeline, lane, col);
	if (cell->events && cell->first > self->look.at)
		self->view.tui->place = cell->first;
}

static void view_timeline_turn_to(struct tui_view *view)
{
	struct timeline_view *self = view_timeline_of(view);
	uint64_t place = view->tui->place;

	/* The cursor stays if it is already in the right column. */
	if (self->timeline.cols && self->look.at >= self->timeline.from &&
	    place >= self->timeline.from && place - self->timeline.from < self->timeline.span &&
	    timeline_col(&self->timeline, place) == timeline_col(&self->timeline, self->look.at))
		return;
	go_to(self, place);
}

static void view_timeline_draw(struct tui_view *view, struct cells *cells,
			       const struct cells_area *area)
{
	struct timeline_view *self = view_timeline_of(view);
	unsigned cols = timeline_look_cols(area);

	if (cols != self->timeline.cols) {
		if (timeline_resize(&self->timeline, cols) < 0)
			return;
		view->tui->wants_work = true;
	}
	timeline_draw(&self->look, &self->timeline, cells, area);
}

static void view_timeline_status(struct tui_view *view, struct strbuf *buf)
{
	struct timeline_view *self = view_timeline_of(view);
	const struct timeline *timeline = &self->timeline;

	if (!timeline->cols || (!timeline->n_order && timeline->phase == TIMELINE_DONE))
		return;
	timeline_put_duration(&self->look, buf, timeline->span);
	strbuf_adds(buf, " shown, ");
	timeline_put_duration(&self->look, buf, timeline->span / timeline->cols);
	strbuf_adds(buf, " per column");
	if (timeline->finding)
		strbuf_adds(buf, "  searching (Esc cancels)");
	else if (timeline->phase != TIMELINE_DONE)
		strbuf_addf(buf, "  %s%u %% is exact%s", timeline->sampled ? "~ " : "reading: ",
			    timeline->n_exact * 100 / timeline->cols,
			    timeline->cancelled ? "" : " (Esc cancels)");
}

/* Zooms by a factor of two; the cursor stays in its column of the screen. */
static void view_timeline_zoom(struct timeline_view *self, bool in)
{
	struct timeline *timeline = &self->timeline;
	uint64_t whole = timeline_whole(timeline), old = timeline->span;
	uint64_t span = in ? old / 2 : old > whole / 2 ? whole : old * 2;
	uint64_t before;

	if (span < timeline->cols)
		span = timeline->cols;
	if (span > whole)
		span = whole;
	before = (uint64_t)((unsigned __int128)(self->look.at - timeline->from) * span / old);
	view_timeline_show(self, self->look.at > before ? self->look.at - before : 0, span);
}

/* Scrolls, together with the cursor. */
static void pan(struct timeline_view *self, bool right)
{
	struct timeline *timeline = &self->timeline;
	uint64_t step = timeline->span / 4 + 1, from = timeline->from;
	uint64_t inside = self->look.at - from;

	view_timeline_show(self,
			   right       ? from + step :
			   from > step ? from - step :
					 0,
			   timeline->span);
	if (timeline->from == from)
		self->look.at = right ? timeline->from + (timeline->span - 1) : timeline->from;
	else
		self->look.at = timeline->from + inside;
}

static void step(struct timeline_view *self, bool right)
{
	struct timeline *timeline = &self->timeline;
	unsigned col = timeline_col(timeline, self->look.at);

	if (right && col + 1 < timeline->cols)
		self->look.at = timeline->starts[col + 1];
	else if (!right && col)
		self->look.at = timeline->starts[col - 1];
	else
		pan(self, right);
}

static void view_timeline_choose(struct timeline_view *self, int64_t by)
{
	const struct timeline *timeline = &self->timeline;
	struct lines *lines = &self->look.lines;

	if (!timeline->n_order)
		return;
	lines->selected = timeline_look_row(&self->look, timeline);
	lines_move(lines, timeline->n_order, by);
	timeline_look_choose(&self->look, timeline, lines->selected);
}

/* Goes to the wakeup with the longest wait for a CPU. */
static void view_timeline_longest_wait(struct timeline_view *self)
{
	struct timeline *timeline = &self->timeline;
	uint32_t lane = timeline_look_lane(&self->look, timeline);
	const struct lane_wake *longest = NULL;

	for (unsigned col = 0; lane != TIMELINE_NO_LANE && col < timeline->cols; col++) {
		const struct lane_wake *wake = &timeline_cell(timeline, lane, col)->wake;

		if (wake->time && (!longest || wake->wait > longest->wait))
			longest = wake;
	}
	if (longest)
		self->look.at = longest->time;
	else
		tui_say(self->view.tui, true, "no wakeup in this lane within the visible range");
}

static void view_timeline_mark(struct timeline_view *self, unsigned which)
{
	self->look.marks[which] = self->look.at;
	self->look.has_mark[which] = true;
}

/* Limits the other views to the visible range. */
static void view_timeline_narrow(struct timeline_view *self)
{
	const struct timeline_look *look = &self->look;
	struct tui *tui = self->view.tui;
	bool marked = look->has_mark[0] && look->has_mark[1];
	uint64_t a = marked ? look->marks[0] : self->timeline.from;
	uint64_t b = marked ? look->marks[1] : a + (self->timeline.span - 1);

	tui_push_time(tui, a < b ? a : b, a < b ? b : a);
}

static void view_timeline_find_event(struct timeline_view *self, bool up)
{
	struct timeline *timeline = &self->timeline;
	uint32_t lane = timeline_look_lane(&self->look, timeline);

	publish_place(self);
	if (lane == TIMELINE_NO_LANE)
		return;
	/* The first event of the column has not been visited yet. */
	if (!up && self->view.tui->place > self->look.at)
		self->look.at = self->view.tui->place;
	else if (timeline_find(timeline, &timeline->lanes[lane], self->look.at, up) < 0)
		tui_say(self->view.tui, true, "out of memory");
}

/* Handles keys that change the visible range. */
static bool view_timeline_move_key(struct timeline_view *self, uint32_t key)
{
	struct timeline *timeline = &self->timeline;

	switch (key) {
	case 'w':
	case '+':
		view_timeline_zoom(self, true);
		return true;
	case 's':
	case '-':
		view_timeline_zoom(self, false);
		return true;
	case 'a':
	case 'd':
		pan(self, key == 'd');
		return true;
	case TUI_KEY_LEFT:
	case TUI_KEY_RIGHT:
		step(self, key == TUI_KEY_RIGHT);
		return true;
	case 'g':
	case TUI_KEY_HOME:
		go_to(self, timeline->first);
		return true;
	case 'G':
	case TUI_KEY_END:
		go_to(self, timeline->last);
		return true;
	case 'z':
		view_timeline_show(
			self,
			self->look.at > timeline->span / 2 ? self->look.at - timeline->span / 2 : 0,
			timeline->span);
		return true;
	case '0':
		view_timeline_show(self, timeline->first, timeline_whole(timeline));
		return true;
	default:
		return false;
	}
}

/* Handles keys that select a lane. */
static bool lane_key(struct timeline_view *self, uint32_t key)
{
	int64_t by;

	if (!lines_key(key, self->look.lines.page, self->timeline.n_order, &by))
		return false;
	view_timeline_choose(self, by);
	return true;
}

static bool view_timeline_key(struct tui_view *view, uint32_t key)
{
	struct timeline_view *self = view_timeline_of(view);

	if (!self->timeline.cols)
		return false;
	if (view_timeline_move_key(self, key) || lane_key(self, key)) {
		publish_place(self);
		return true;
	}
	switch (key) {
	case '.':
	case ',':
		view_timeline_find_event(self, key == ',');
		return true;
	case 'l':
		view_timeline_longest_wait(self);
		break;
	case 'A':
	case 'B':
		view_timeline_mark(self, key - 'A');
		break;
	case 'X':
		self->look.has_mark[0] = self->look.has_mark[1] = false;
		break;
	case 'x':
		view_timeline_narrow(self);
		break;
	case TUI_KEY_ENTER:
		publish_place(self);
		tui_show(view->tui, &view_replay, &(struct view_choice){ 0 });
		return true;
	default:
		return false;
	}
	publish_place(self);
	return true;
}

static const char *view_timeline_text_of(void *data, size_t at)
{
	struct timeline_view *self = data;
	const struct timeline *timeline = &self->timeline;

	strbuf_clear(&self->look.buf);
	timeline_put_lane(&self->look, &self->look.buf, &timeline->lanes[timeline->order[at]]);
	return strbuf_str(&self->look.buf);
}

static int view_timeline_search(struct tui_view *view, const char *text, bool up)
{
	struct timeline_view *self = view_timeline_of(view);
	const struct timeline *timeline = &self->timeline;
	size_t row = timeline_look_row(&self->look, timeline);
	size_t found = lines_find(timeline->n_order, row, up, text, view_timeline_text_of, self);

	if (found == SIZE_MAX)
		tui_say(view->tui, true, "no lane name contains '%.60s'", text);
	else
		timeline_look_choose(&self->look, timeline, found);
	return 0;
}

static int view_timeline_go(struct tui_view *view, uint64_t time)
{
	go_to(view_timeline_of(view), time);
	publish_place(view_timeline_of(view));
	return 0;
}

static void view_timeline_follow(struct tui_view *view)
{
	struct timeline *timeline = &view_timeline_of(view)->timeline;

	go_to(view_timeline_of(view), timeline->last);
	view_timeline_show(view_timeline_of(view), timeline->last, timeline->span);
}

static int view_timeline_work(struct tui_view *view, uint64_t until)
{
	struct timeline_view *self = view_timeline_of(view);
	uint64_t time;
	int r;

	if (self->timeline.finding) {
		bool up = self->timeline.finding < 0;

		r = timeline_find_some(&self->timeline, until, &time);
		if (r == 0)
			go_to(self, time);
		else if (r == -ENOENT)
			tui_say(view->tui, true, "this lane has no event %s",
				up ? "before" : "after this time");
		if (r == 0)
			publish_place(self);
		if (r == 1 || (r < 0 && r != -ENOENT))
			return r;
	}
	r = timeline_work(&self->timeline, until);
	if (r == 0 && self->timeline.phase == TIMELINE_DONE)
		publish_place(self);
	return r;
}

static void view_timeline_cancel(struct tui_view *view)
{
	timeline_cancel(&view_timeline_of(view)->timeline);
}

static const struct view_key keys[] = {
	{ { 'w', '+' }, "zoom in" },
	{ { 's', '-' }, "zoom out" },
	{ { 'a', 'd' }, "scroll left, right" },
	{ { TUI_KEY_LEFT, TUI_KEY_RIGHT }, "move the cursor" },
	{ { 'j', TUI_KEY_DOWN }, "next lane" },
	{ { 'k', TUI_KEY_UP }, "previous lane" },
	{ { TUI_KEY_PAGE_DOWN, ' ' }, "page down" },
	{ { TUI_KEY_PAGE_UP }, "page up" },
	{ { '.', ',' }, "next, previous event of this lane" },
	{ { 'l' }, "go to the longest scheduling latency of this task" },
	{ { 'g', TUI_KEY_HOME }, "first event" },
	{ { 'G', TUI_KEY_END }, "last event" },
	{ { 'z' }, "center the cursor" },
	{ { '0' }, "show the whole time range" },
	{ { 'A', 'B' }, "set one end of a range here" },
	{ { 'X' }, "clear A and B" },
	{ { 'x' }, "limit all views to A to B, or to the visible range" },
	{ { TUI_KEY_ENTER }, "go to this time in the replay" },
};

const struct view_ops view_timeline = {
	.name = "Timeline",
	.keys = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.size = sizeof(struct timeline_view),
	.load = view_timeline_load,
	.done = view_timeline_done,
	.turn_to = view_timeline_turn_to,
	.draw = view_timeline_draw,
	.status = view_timeline_status,
	.key = view_timeline_key,
	.search = view_timeline_search,
	.go = view_timeline_go,
	.follow = view_timeline_follow,
	.work = view_timeline_work,
	.cancel = view_timeline_cancel,
};
