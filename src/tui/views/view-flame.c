/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the time went: calls, or CPU samples, as boxes below their callers. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "analyze/calls/calls.h"
#include "analyze/stream/feed.h"
#include "analyze/calls/sample-tree.h"
#include "base/clock.h"
#include "base/mem.h"
#include "format/event/sample-event.h"
#include "read/context/user-processes.h"
#include "render/kit/duration.h"
#include "tui/flame-boxes.h"
#include "tui/view.h"

/* Number of events between two looks at the clock. */
#define SLICE 4096
/* Lines above and below the boxes. */
#define LINES_ABOVE 1
#define LINES_BELOW 2
#define BY_KINDS    4

struct flame_view {
	struct tui_view view; /* must be first */
	struct feed feed;
	struct feeding *feeding; /* NULL: everything was read */
	struct calls *calls;
	const struct call_tree *call_tree; /* of @calls, once everything was read */
	struct sample_tree samples;
	struct user_symbols users; /* names of user functions, as far as the trace has them */
	bool with_samples; /* samples are shown instead of calls */
	enum flame_by by;
	struct flame_boxes boxes;
	uint32_t top, chosen; /* nodes */
	char searched[128];
	struct strbuf buf;
};

static struct flame_view *view_flame_of(struct tui_view *view)
{
	return (struct flame_view *)view;
}

static void view_flame_drop(struct flame_view *self)
{
	feed_end(self->feeding);
	self->feeding = NULL;
	flame_boxes_done(&self->boxes);
	calls_free(self->calls);
	self->calls = NULL;
	self->call_tree = NULL;
	sample_tree_done(&self->samples);
	self->samples = (struct sample_tree){ 0 };
	user_symbols_done(&self->users);
	self->users = (struct user_symbols){ 0 };
	self->top = self->chosen = CALL_ROOT;
}

static void view_flame_take(void *data, const struct decoded_event *decoded)
{
	struct flame_view *self = data;

	calls_feed(self->calls, decoded);
	sample_tree_feed(&self->samples, decoded);
}

/*
 * Only samples have user addresses. Recordings with samples contain memory maps, so the trace need
 * not be searched for them. No files are opened: the viewer cannot.
 */
static int read_users(struct flame_view *self, const struct tui *tui, struct fathom_err *err)
{
	struct event_table *events = report_events(tui->report);

	return event_table_find_name(events, SAMPLE_SYSTEM, SAMPLE_NAME) ?
		       user_processes_read(tui->trace, events, &self->users, err) :
		       0;
}

static int view_flame_load(struct tui_view *view, struct fathom_err *err)
{
	struct flame_view *self = view_flame_of(view);
	struct tui *tui = view->tui;
	int r;

	view_flame_drop(self);
	self->feed = (struct feed){ .trace = tui->trace,
				    .window = &tui->scope->window,
				    .events = report_events(tui->report),
				    .filtered = CALLS_FILTERED | SAMPLES_FILTERED,
				    .wanted = tui_wants_less(tui) ? tui_wants : NULL,
				    .wanted_data = tui };
	r = calls_new(&(struct calls_options){ .kallsyms = report_kallsyms(tui->report),
					       .tasks = report_tasks(tui->report) },
		      &self->calls);
	if (r == 0)
		r = read_users(self, tui, err);
	if (r == 0)
		r = sample_tree_init(&self->samples, report_kallsyms(tui->report),
				     report_tasks(tui->report), &self->users);
	return r < 0 ? r : feed_begin(&self->feed, view_flame_take, self, &self->feeding, err);
}

static void view_flame_done(struct tui_view *view)
{
	view_flame_drop(view_flame_of(view));
	strbuf_done(&view_flame_of(view)->buf);
}

static const struct call_tree *tree_of(const struct flame_view *self)
{
	return self->with_samples ? &self->samples.tree : self->call_tree;
}

/* Uses another tree, or other widths of the same tree. */
static int use_tree(struct flame_view *self, bool keep)
{
	if (!keep)
		self->top = self->chosen = CALL_ROOT;
	flame_boxes_done(&self->boxes);
	return flame_boxes_init(&self->boxes, tree_of(self), self->by);
}

/* Everything has been read. */
static int view_flame_finish(struct flame_view *self)
{
	int r = calls_finish(self->calls, &self->call_tree);

	if (r < 0 || self->samples.nomem || self->samples.tree.nomem) {
		self->call_tree = NULL;
		return -ENOMEM;
	}
	self->with_samples = self->call_tree->n <= 1 && self->samples.n;
	r = use_tree(self, false);
	if (r < 0)
		self->call_tree = NULL;
	return r;
}

static int view_flame_work(struct tui_view *view, uint64_t until)
{
	struct flame_view *self = view_flame_of(view);
	struct fathom_err err;
	int r = 1;

	while (self->feeding && r == 1 && clock_ns(CLOCK_MONOTONIC) < until)
		r = feed_some(self->feeding, SLICE, &err);
	if (!self->feeding)
		return 0;
	if (r == 1)
		return 1;
	feed_end(self->feeding);
	self->feeding = NULL;
	return r < 0 ? r : view_flame_finish(self);
}

static void view_flame_cancel(struct tui_view *view)
{
	struct flame_view *self = view_flame_of(view);

	if (!self->feeding)
		return;
	feed_end(self->feeding);
	self->feeding = NULL;
	if (view_flame_finish(self) == 0)
		tui_say(view->tui, true, "cancelled after %" PRIu64 " events", self->feed.n_events);
}

static void view_flame_turn_to(struct tui_view *view)
{
}

static const struct func *func_of(const struct flame_view *self, uint32_t node)
{
	const struct call_tree *tree = tree_of(self);
	uint32_t func = tree->nodes[node].func;

	return node != CALL_ROOT && func < tree->funcs.n ? &tree->funcs.list[func] : NULL;
}

static void view_flame_put_name(const struct flame_view *self, struct strbuf *buf, uint32_t node)
{
	const struct func *func = func_of(self, node);

	if (func)
		func_put_name(func, buf);
	else
		strbuf_adds(buf, "all");
}

static bool is_searched(struct flame_view *self, uint32_t node)
{
	if (!self->searched[0] || !func_of(self, node))
		return false;
	strbuf_clear(&self->buf);
	view_flame_put_name(self, &self->buf, node);
	return strcasestr(strbuf_str(&self->buf), self->searched) != NULL;
}

static unsigned view_flame_style_of(struct flame_view *self, uint32_t node)
{
	const struct func *func = func_of(self, node);
	const struct call_times *times = &tree_of(self)->nodes[node].times;

	if (is_searched(self, node))
		return CELL_WARN;
	if (!func)
		return CELL_STRONG;
	if (times->asleep > times->total / 2)
		return CELL_DIM;
	return func->flags & FUNC_USER ? CELL_TASK : CELL_NAME;
}

/* Draws a mark at the left of the box, its name, and a line to its end. */
static void draw_box(struct flame_view *self, struct cells *cells, const struct cells_area *area,
		     const struct flame_box *box)
{
	struct cells_area inside = { .row = area->row + box->row,
				     .col = area->col + box->col,
				     .rows = 1,
				     .cols = box->cols };
	unsigned style = view_flame_style_of(self, box->node), col;

	cells_puts(cells, &inside, 0, 0, style, cells->ascii ? "|" : "▏");
	strbuf_clear(&self->buf);
	view_flame_put_name(self, &self->buf, box->node);
	col = cells_puts(cells, &inside, 0, 1, style, strbuf_str(&self->buf));
	while (col < box->cols)
		col = cells_puts(cells, &inside, 0, col, style, cells->ascii ? "-" : "─");
	if (box->node == self->chosen)
		cells_select(cells, &inside, 0);
}

/* Draws the path to the topmost box, cut at the left if necessary. */
static void draw_path(struct flame_view *self, struct cells *cells, const struct cells_area *area)
{
	const struct call_node *nodes = tree_of(self)->nodes;
	static const char *const by[BY_KINDS] = { "total time", "on-CPU time", "off-CPU time",
						  "self time" };
	const char *kind = self->with_samples ? "samples" : by[self->by];
	unsigned room = area->cols, col, kind_cols = (unsigned)strlen(kind) + 2;

	cells_paint(cells, area, 0, CELL_HEAD);
	if (kind_cols < room)
		cells_puts(cells, area, 0, room - kind_cols + 1, CELL_HEAD, kind);
	/* Collect it from right to left first, to find out where it begins. */
	strbuf_clear(&self->buf);
	for (uint32_t at = self->top; at != CALL_NONE; at = nodes[at].parent) {
		struct strbuf name = { 0 };

		view_flame_put_name(self, &name, at);
		col = cells_width(cells, strbuf_str(&self->buf), self->buf.len);
		if (col + name.len + 3 + kind_cols >= room) {
			strbuf_done(&name);
			break;
		}
		if (self->buf.len)
			strbuf_adds(&name, " > ");
		strbuf_add(&name, strbuf_str(&self->buf), self->buf.len);
		strbuf_clear(&self->buf);
		strbuf_add(&self->buf, strbuf_str(&name), name.len);
		strbuf_done(&name);
		if (at == CALL_ROOT)
			break;
	}
	cells_puts(cells, area, 0, 0, CELL_HEAD, strbuf_str(&self->buf));
}

static double view_flame_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Draws details about the selected box. */
static void view_flame_draw_chosen(struct flame_view *self, struct cells *cells,
				   const struct cells_area *area, unsigned row)
{
	const struct call_node *node = &tree_of(self)->nodes[self->chosen];
	uint64_t width = self->boxes.widths[self->chosen];
	char total[DURATION_SIZE], own[DURATION_SIZE], off[DURATION_SIZE];

	strbuf_clear(&self->buf);
	view_flame_put_name(self, &self->buf, self->chosen);
	cells_puts(cells, area, row, 1, CELL_STRONG, strbuf_str(&self->buf));
	strbuf_clear(&self->buf);
	if (self->chosen == CALL_ROOT) {
		strbuf_addf(&self->buf, "%s in total", duration_text(width, total));
	} else {
		strbuf_addf(&self->buf, "%.1f %% of all, %.1f %% here  total %s%s  self %s",
			    view_flame_percent(width, self->boxes.widths[CALL_ROOT]),
			    view_flame_percent(width, self->boxes.widths[self->top]),
			    node->count ? "" : "at least ",
			    duration_text(node->count ? node->times.total : width, total),
			    duration_text(node->times.own, own));
		strbuf_addf(&self->buf, "  %s %" PRIu64, self->with_samples ? "samples" : "count",
			    node->count);
		if (node->cut)
			strbuf_addf(&self->buf, " and %" PRIu64 " incomplete", node->cut);
		if (node->times.asleep)
			strbuf_addf(&self->buf, "  off-CPU %s",
				    duration_text(node->times.asleep, off));
	}
	cells_puts(cells, area, row + 1, 1, CELL_PLAIN, strbuf_str(&self->buf));
}

static void view_flame_draw_nothing(struct flame_view *self, struct cells *cells,
				    const struct cells_area *area)
{
	if (self->feeding)
		cells_putf(cells, area, 1, 2, CELL_DIM, "reading: %" PRIu64 " events so far",
			   self->feed.n_events);
	else if (self->call_tree && self->call_tree->n > 1)
		cells_puts(cells, area, 1, 2, CELL_DIM,
			   "no call has such a time ('b' selects another)");
	else
		cells_puts(
			cells, area, 1, 2, CELL_DIM,
			tui_why_empty(self->view.tui,
				      "no function calls or samples recorded: use 'fathom run'"));
}

static void view_flame_draw(struct tui_view *view, struct cells *cells,
			    const struct cells_area *area)
{
	struct flame_view *self = view_flame_of(view);
	unsigned below = area->rows > 2 * (LINES_ABOVE + LINES_BELOW) ? LINES_BELOW : 0;
	struct cells_area middle = *area;

	middle.row += LINES_ABOVE;
	middle.rows -= area->rows > LINES_ABOVE + below ? LINES_ABOVE + below : area->rows;
	if (self->call_tree &&
	    flame_boxes_lay(&self->boxes, self->top, middle.rows, middle.cols) < 0) {
		tui_say(view->tui, true, "out of memory");
		return;
	}
	/* Events without any time make no picture. */
	if (!self->call_tree || !self->boxes.n ||
	    tree_of(self)->nodes[CALL_ROOT].child == CALL_NONE) {
		view_flame_draw_nothing(self, cells, area);
		return;
	}
	draw_path(self, cells, area);
	for (size_t i = 0; i < self->boxes.n; i++)
		draw_box(self, cells, &middle, &self->boxes.boxes[i]);
	if (below)
		view_flame_draw_chosen(self, cells, area, area->rows - below);
}

static void view_flame_status(struct tui_view *view, struct strbuf *buf)
{
	struct flame_view *self = view_flame_of(view);
	uint64_t first = view->tui->first_time, span = view->tui->last_time - first;

	if (self->feeding && span && self->feed.last >= first)
		strbuf_addf(buf, "reading: %.0f %% (Esc cancels)",
			    view_flame_percent(self->feed.last - first, span));
	else if (self->call_tree && self->boxes.cut)
		strbuf_adds(buf, "more below: Enter zooms in");
	else if (self->call_tree && self->boxes.n)
		strbuf_addf(buf, "%zu box%s", self->boxes.n - 1, self->boxes.n == 2 ? "" : "es");
}

/* Makes a box as wide as the picture. */
static void view_flame_zoom(struct flame_view *self, uint32_t node)
{
	self->top = node;
	self->chosen = node;
}

static void zoom_out(struct flame_view *self)
{
	uint32_t parent = tree_of(self)->nodes[self->top].parent;

	if (self->top == CALL_ROOT)
		return;
	self->chosen = self->top;
	self->top = parent == CALL_NONE ? CALL_ROOT : parent;
}

static void go_up(struct flame_view *self, size_t box)
{
	uint32_t parent = tree_of(self)->nodes[self->chosen].parent;

	if (self->boxes.boxes[box].row)
		self->chosen = parent;
	else
		zoom_out(self);
}

/* Handles keys that move between boxes. */
static bool view_flame_move_key(struct flame_view *self, uint32_t key)
{
	size_t box = flame_boxes_find(&self->boxes, self->chosen);

	if (box == FLAME_NO_BOX)
		box = 0;
	switch (key) {
	case 'j':
	case TUI_KEY_DOWN:
		box = flame_boxes_below(&self->boxes, box);
		break;
	case 'k':
	case TUI_KEY_UP:
		go_up(self, box);
		return true;
	case 'h':
	case TUI_KEY_LEFT:
		box = flame_boxes_beside(&self->boxes, box, false);
		break;
	case 'l':
	case TUI_KEY_RIGHT:
		box = flame_boxes_beside(&self->boxes, box, true);
		break;
	default:
		return false;
	}
	self->chosen = self->boxes.boxes[box].node;
	return true;
}

static void other_tree(struct flame_view *self)
{
	if (!self->samples.n || self->call_tree->n <= 1) {
		tui_say(self->view.tui, true, "no %s recorded",
			self->samples.n ? "calls" : "samples");
		return;
	}
	self->with_samples = !self->with_samples;
	if (use_tree(self, false) < 0)
		self->call_tree = NULL;
}

static void other_width(struct flame_view *self)
{
	self->by = (self->by + 1) % BY_KINDS;
	if (use_tree(self, true) < 0)
		self->call_tree = NULL;
	else if (!self->boxes.widths[self->top])
		self->top = self->chosen = CALL_ROOT;
}

static bool view_flame_key(struct tui_view *view, uint32_t key)
{
	struct flame_view *self = view_flame_of(view);

	if (!self->call_tree)
		return false;
	if (key == 'b') {
		other_width(self);
		return true;
	}
	if (key == 'v') {
		other_tree(self);
		return true;
	}
	if (!self->boxes.n)
		return false;
	if (view_flame_move_key(self, key))
		return true;
	switch (key) {
	case TUI_KEY_ENTER:
		view_flame_zoom(self, self->chosen);
		return true;
	case 'u':
	case TUI_KEY_BACKSPACE:
		zoom_out(self);
		return true;
	case TUI_KEY_ESCAPE:
		/* At the root, Esc removes scopes. */
		if (self->top == CALL_ROOT)
			return false;
		zoom_out(self);
		return true;
	case 'g':
	case TUI_KEY_HOME:
		view_flame_zoom(self, CALL_ROOT);
		return true;
	default:
		return false;
	}
}

/* Returns the widest matching node among those without a box, or CALL_NONE. */
static uint32_t widest_searched(struct flame_view *self)
{
	const struct call_tree *tree = tree_of(self);
	uint32_t found = CALL_NONE;

	for (uint32_t i = 1; i < tree->n; i++)
		if (tree->nodes[i].parent < tree->n && self->boxes.widths[i] &&
		    (found == CALL_NONE || self->boxes.widths[i] > self->boxes.widths[found]) &&
		    is_searched(self, i))
			found = i;
	return found;
}

static int view_flame_search(struct tui_view *view, const char *text, bool up)
{
	struct flame_view *self = view_flame_of(view);
	size_t n = self->boxes.n, at;
	uint32_t found;

	snprintf(self->searched, sizeof(self->searched), "%s", text);
	if (!self->call_tree || !n)
		return 0;
	at = flame_boxes_find(&self->boxes, self->chosen);
	at = at == FLAME_NO_BOX ? 0 : at;
	for (size_t i = 1; i <= n; i++) {
		size_t next = (at + (up ? n - i : i)) % n;

		if (is_searched(self, self->boxes.boxes[next].node)) {
			self->chosen = self->boxes.boxes[next].node;
			return 0;
		}
	}
	found = widest_searched(self);
	if (found == CALL_NONE) {
		tui_say(view->tui, true, "no name contains '%.60s'", text);
		return 0;
	}
	self->top = tree_of(self)->nodes[found].parent;
	self->chosen = found;
	tui_say(view->tui, false, "zoomed to the widest match: 'g' shows all");
	return 0;
}

static int view_flame_go(struct tui_view *view, uint64_t time)
{
	return 0;
}

static const struct view_key keys[] = {
	{ { 'j', TUI_KEY_DOWN }, "down, to the widest callee" },
	{ { 'k', TUI_KEY_UP }, "up, to the caller" },
	{ { 'h', TUI_KEY_LEFT }, "box to the left" },
	{ { 'l', TUI_KEY_RIGHT }, "box to the right" },
	{ { TUI_KEY_ENTER }, "zoom in on this box" },
	{ { 'u', TUI_KEY_BACKSPACE, TUI_KEY_ESCAPE }, "zoom out to the caller" },
	{ { 'g', TUI_KEY_HOME }, "show all" },
	{ { 'b' }, "width of a box: total, on-CPU, off-CPU or self time" },
	{ { 'v' }, "switch between calls and CPU samples" },
};

const struct view_ops view_flame = {
	.name = "Flame",
	.keys = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.size = sizeof(struct flame_view),
	.load = view_flame_load,
	.done = view_flame_done,
	.turn_to = view_flame_turn_to,
	.draw = view_flame_draw,
	.status = view_flame_status,
	.key = view_flame_key,
	.search = view_flame_search,
	.go = view_flame_go,
	.work = view_flame_work,
	.cancel = view_flame_cancel,
};
