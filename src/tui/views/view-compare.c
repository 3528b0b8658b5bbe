/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences between two files, or between two time ranges of one file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "render/command/diff.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "tui/compare-side.h"
#include "tui/compare.h"
#include "tui/lines.h"
#include "tui/view.h"

/* Number of lines above the list (the compared files, titles) and below it (the selected line). */
#define LINES_ABOVE 2
#define LINES_BELOW 4
/* Screens this wide have space for medians. */
#define COLS_WIDE 110

enum {
	BEFORE,
	AFTER,
	SIDES
};

struct compare_view {
	struct tui_view view; /* must be first */
	struct compare_side sides[SIDES];
	unsigned reading; /* the side being read; SIDES: both were read */
	bool ended; /* cancelled with Esc */
	bool other_read; /* the second file was read, and no limit affects it */
	bool has_kept; /* without a second file: a time range was set to compare with */
	uint64_t kept_from, kept_to;
	struct compare compare;
	struct lines lines;
	struct strbuf buf;
};

static struct compare_view *view_compare_of(struct tui_view *view)
{
	return (struct compare_view *)view;
}

static bool has_files(const struct compare_view *self)
{
	return self->view.tui->other.trace;
}

/* Returns whether the current scope is the range that was set. */
static bool view_compare_is_kept(const struct compare_view *self)
{
	const struct fathom_window *window = &self->view.tui->scope->window;

	return self->has_kept && window->from == self->kept_from && window->to == self->kept_to;
}

static bool has_two(const struct compare_view *self)
{
	return has_files(self) || (self->has_kept && !view_compare_is_kept(self));
}

/* Returns the side that other views show: the first file, or the current time range. */
static unsigned view_compare_here(const struct compare_view *self)
{
	return has_files(self) ? BEFORE : AFTER;
}

static void view_compare_drop(struct compare_view *self)
{
	compare_done(&self->compare);
	compare_side_done(&self->sides[BEFORE]);
	if (!self->other_read)
		compare_side_done(&self->sides[AFTER]);
	self->lines.selected = self->lines.top = 0;
	self->reading = SIDES;
	self->ended = false;
}

static struct compare_source source_of(const struct compare_view *self, unsigned side)
{
	struct tui *tui = self->view.tui;
	struct compare_source source = { .trace = tui->trace,
					 .report = tui->report,
					 .window = tui->scope->window,
					 .wanted = tui_wants_less(tui) ? tui_wants : NULL,
					 .wanted_data = tui };

	/* Limits refer to the first file; times and tasks of the second one differ. */
	if (has_files(self) && side == AFTER)
		return (struct compare_source){ .trace = tui->other.trace,
						.report = tui->other.report,
						.window = FATHOM_WINDOW_ALL };
	if (side == BEFORE && !has_files(self)) {
		source.window.from = self->kept_from;
		source.window.to = self->kept_to;
	}
	return source;
}

static int view_compare_begin(struct compare_view *self, unsigned side, struct fathom_err *err)
{
	struct compare_source source = source_of(self, side);

	self->reading = side;
	return compare_side_begin(&self->sides[side], &source, err);
}

static int view_compare_load(struct tui_view *view, struct fathom_err *err)
{
	struct compare_view *self = view_compare_of(view);

	view_compare_drop(self);
	return has_two(self) ? view_compare_begin(self, BEFORE, err) : 0;
}

static void view_compare_done(struct tui_view *view)
{
	view_compare_of(view)->other_read = false;
	view_compare_drop(view_compare_of(view));
	strbuf_done(&view_compare_of(view)->buf);
}

static void view_compare_turn_to(struct tui_view *view)
{
}

static struct compare_input input_of(const struct compare_side *side)
{
	return (struct compare_input){ .tree = side->tree,
				       .flat = side->has_flat ? &side->flat : NULL,
				       .syscalls = &side->syscalls };
}

static int view_compare_work(struct tui_view *view, uint64_t until)
{
	struct compare_view *self = view_compare_of(view);
	struct compare_input before, after;
	struct fathom_err err;
	int r;

	if (self->reading == SIDES)
		return 0;
	r = compare_side_work(&self->sides[self->reading], until);
	if (r == 0 && self->reading == BEFORE && !self->other_read)
		r = view_compare_begin(self, AFTER, &err) < 0 ? err.code : 1;
	if (r == 1)
		return 1;
	if (r < 0) {
		view_compare_drop(self);
		self->ended = true;
		return r;
	}
	self->reading = SIDES;
	self->other_read = has_files(self);
	before = input_of(&self->sides[BEFORE]);
	after = input_of(&self->sides[AFTER]);
	return compare_make(&self->compare, &before, &after);
}

/* A part of one side cannot be compared with all of the other. */
static void view_compare_cancel(struct tui_view *view)
{
	struct compare_view *self = view_compare_of(view);

	if (self->reading == SIDES)
		return;
	view_compare_drop(self);
	self->ended = true;
}

static void view_compare_select(struct compare_view *self, size_t line)
{
	lines_select(&self->lines, self->compare.n, line);
}

/* If the path is cut, its end is more useful than its beginning. */
static void view_compare_put_path(struct strbuf *buf, const char *path, unsigned room)
{
	size_t len = strlen(path);

	if (len > room && room > 2)
		strbuf_addf(buf, "..%s", path + len - (room - 2));
	else
		strbuf_adds(buf, path);
}

static void draw_what(struct compare_view *self, struct cells *cells, const struct cells_area *area)
{
	static const char after[] = ", after: ";
	const struct tui *tui = self->view.tui;
	unsigned room =
		area->cols > 2 * sizeof(after) ? (area->cols - 2 * (unsigned)sizeof(after)) / 2 : 0;

	strbuf_clear(&self->buf);
	strbuf_adds(&self->buf, "before: ");
	if (has_files(self))
		view_compare_put_path(&self->buf, tui->path, room);
	else
		tui_put_times(tui, self->kept_from, self->kept_to, &self->buf);
	strbuf_adds(&self->buf, after);
	if (has_files(self))
		view_compare_put_path(&self->buf, tui->other.path, room);
	else
		tui_put_times(tui, tui->scope->window.from, tui->scope->window.to, &self->buf);
	if (has_files(self) && tui->scope->kind)
		strbuf_adds(&self->buf, " (complete)");
	cells_puts(cells, area, 0, 1, CELL_STRONG, strbuf_str(&self->buf));
}

static void view_compare_draw_head(struct cells *cells, const struct cells_area *area)
{
	bool wide = area->cols >= COLS_WIDE;

	cells_putf(cells, area, 1, 0, CELL_HEAD,
		   "     change    before     after  calls    now%s  ratio%10s%s",
		   wide ? "    median       now" : "", "", "name");
	cells_paint(cells, area, 1, CELL_HEAD);
}

/* Appends how many times as long calls take: "1.25x". */
static void put_ratio(struct strbuf *buf, const struct compare_values *values)
{
	double ratio = values->before.total ?
			       (double)values->after.total / (double)values->before.total :
			       0;

	if (!values->before.total || !values->after.total)
		strbuf_adds(buf, "      .");
	else if (ratio >= 1000)
		strbuf_adds(buf, "  >999x");
	else
		strbuf_addf(buf,
			    ratio >= 99.95 ? " %5.0fx" :
			    ratio >= 9.995 ? " %5.1fx" :
					     " %5.2fx",
			    ratio);
}

static unsigned view_compare_style_of(const char *verdict)
{
	switch (diff_style(verdict)) {
	case OUT_BAD:
		return CELL_WARN;
	case OUT_GOOD:
		return CELL_GOOD;
	default:
		return CELL_NAME;
	}
}

static void view_compare_draw_line(struct compare_view *self, struct cells *cells,
				   const struct cells_area *area, unsigned row,
				   const struct compare_line *line)
{
	struct strbuf *buf = &self->buf;
	struct compare_values values;
	unsigned col = 0;

	compare_values(&self->compare, line, &values);
	strbuf_clear(buf);
	if (values.has_time) {
		diff_put_change(buf, values.change);
		duration_put(buf, values.before.total);
		duration_put(buf, values.after.total);
	} else {
		strbuf_pad(buf, ' ', 31);
	}
	if (line->is_head)
		strbuf_pad(buf, ' ', 14);
	else
		strbuf_addf(buf, " %6" PRIu64 " %6" PRIu64, values.before.count,
			    values.after.count);
	if (area->cols >= COLS_WIDE && line->is_head) {
		strbuf_pad(buf, ' ', 20);
	} else if (area->cols >= COLS_WIDE) {
		duration_put(buf, values.before.median);
		duration_put(buf, values.after.median);
	}
	if (values.has_time)
		put_ratio(buf, &values);
	else
		strbuf_pad(buf, ' ', 7);
	col = cells_puts(cells, area, row, 0, CELL_PLAIN, strbuf_str(buf));
	cells_puts(cells, area, row, col + 1, view_compare_style_of(values.verdict),
		   values.verdict);
	col += 8 + line->level;
	cells_puts(cells, area, row, col, CELL_DIM,
		   !line->has_inside ? " " :
		   line->open	     ? "-" :
				       "+");
	strbuf_clear(buf);
	compare_put_name(&self->compare, line, buf);
	cells_puts(cells, area, row, col + 2,
		   line->is_head ? CELL_STRONG : view_compare_style_of(values.verdict),
		   strbuf_str(buf));
}

static void draw_sums(struct compare_view *self, struct cells *cells, const struct cells_area *area,
		      unsigned row, const char *when, const struct compare_sums *sums)
{
	char median[DURATION_SIZE], max[DURATION_SIZE];
	struct strbuf *buf = &self->buf;

	strbuf_clear(buf);
	strbuf_addf(buf, "%6s: ", when);
	if (sums->missing)
		strbuf_adds(buf, "never called");
	else
		amount_put_count(buf, sums->count, "call", "calls");
	if (sums->max)
		strbuf_addf(buf, ", median %s, longest %s", duration_text(sums->median, median),
			    duration_text(sums->max, max));
	if (sums->failed)
		strbuf_addf(buf, ", %" PRIu64 " failed", sums->failed);
	cells_puts(cells, area, row, 1, CELL_PLAIN, strbuf_str(buf));
}

static const char *view_compare_meaning_of(const struct compare_values *values)
{
	if (str_eq(values->verdict, "new"))
		return "new: only in the second";
	if (str_eq(values->verdict, "gone"))
		return "gone: only in the first";
	if (str_eq(values->verdict, "new?") || str_eq(values->verdict, "gone?"))
		return "only in one of them, possibly by chance";
	if (values->few)
		return "too few calls to compare their durations";
	if (!*values->verdict)
		return "no significant difference in the duration of a call";
	return *values->verdict == 's' ? "calls are significantly slower" :
					 "calls are significantly faster";
}

/* Appends the path from the outermost function to the selected one. */
static void put_callers(struct compare_view *self, size_t line)
{
	struct compare_line *lines = self->compare.lines;
	size_t path[32], n = 0;

	for (size_t at = line; n < 32 && !lines[at].is_head;
	     at = compare_parent(&self->compare, at))
		path[n++] = at;
	while (n--) {
		compare_put_name(&self->compare, &lines[path[n]], &self->buf);
		strbuf_adds(&self->buf, n ? " > " : "");
	}
}

static const char *const meaning_of_part[] = {
	[COMPARE_SYSCALLS] = "time in system calls; changes in their number come first",
	[COMPARE_TREE] = "functions by caller; the branch with the largest change is expanded",
	[COMPARE_FUNCTIONS] = "functions, over all callers: their times overlap",
};

/* Draws details about the selected line. */
static void view_compare_draw_chosen(struct compare_view *self, struct cells *cells,
				     const struct cells_area *area)
{
	const struct compare_line *line = &self->compare.lines[self->lines.selected];
	struct compare_values values;
	unsigned row = area->rows - LINES_BELOW, width;

	if (line->is_head) {
		cells_puts(cells, area, row + 1, 1, CELL_DIM, meaning_of_part[line->part]);
		return;
	}
	compare_values(&self->compare, line, &values);
	strbuf_clear(&self->buf);
	put_callers(self, self->lines.selected);
	width = cells_width(cells, strbuf_str(&self->buf), self->buf.len);
	/* If there is little space, the name of the function itself matters most. */
	if (width + 1 > area->cols) {
		strbuf_clear(&self->buf);
		strbuf_adds(&self->buf, line->level > 1 ? ".. > " : "");
		compare_put_name(&self->compare, line, &self->buf);
	}
	cells_puts(cells, area, row, 1, CELL_STRONG, strbuf_str(&self->buf));
	draw_sums(self, cells, area, row + 1, "before", &values.before);
	draw_sums(self, cells, area, row + 2, "after", &values.after);
	cells_puts(cells, area, row + 3, 1, view_compare_style_of(values.verdict),
		   view_compare_meaning_of(&values));
}

static void draw_lines(struct cells *cells, const struct cells_area *area, const char *const *lines,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		cells_puts(cells, area, (unsigned)i + 1, 2, CELL_DIM, lines[i]);
}

/* Explains how to get something to compare. */
static void draw_how(struct compare_view *self, struct cells *cells, const struct cells_area *area)
{
	static const char *const one[] = {
		"Nothing to compare with: only one file is open.",
		"",
		"Two files:         start 'fathom tui BEFORE.dat AFTER.dat'",
		"Two time ranges:   limit the views to the first ('w' on a line, 'x' in the",
		"                   timeline), press 'b' here, Esc, limit them to the second",
	};
	static const char *const kept[] = {
		"This time range is saved for comparison.",
		"",
		"Remove its limit (Esc), limit the views to another range ('w' on a line,",
		"'x' in the timeline), and return to this view.",
	};

	if (view_compare_is_kept(self))
		draw_lines(cells, area, kept, sizeof(kept) / sizeof(kept[0]));
	else
		draw_lines(cells, area, one, sizeof(one) / sizeof(one[0]));
}

/* Returns why nothing on one side is also on the other. */
static const char *why_nothing(const struct compare_view *self)
{
	const struct compare_side *before = &self->sides[BEFORE], *after = &self->sides[AFTER];
	bool some_before = before->tree || before->syscalls.n;
	bool some_after = after->tree || after->syscalls.n;

	if (some_before && some_after)
		return "nothing in common: one has functions only, the other system calls only";
	if (some_before || some_after)
		return some_before ? "no function calls or system calls in the second" :
				     "no function calls or system calls in the first";
	return "no function calls or system calls in either: use 'fathom run'";
}

static void view_compare_draw_nothing(struct compare_view *self, struct cells *cells,
				      const struct cells_area *area)
{
	if (!has_two(self))
		draw_how(self, cells, area);
	else if (self->reading != SIDES)
		cells_putf(cells, area, 2, 2, CELL_DIM, "reading the %s: %" PRIu64 " events so far",
			   self->reading == BEFORE ? "first" : "second",
			   self->sides[self->reading].feed.n_events);
	else if (self->ended)
		cells_puts(cells, area, 2, 2, CELL_DIM,
			   "cancelled before both were read: Enter starts again");
	else
		cells_puts(cells, area, 2, 2, CELL_DIM, why_nothing(self));
}

static void view_compare_draw(struct tui_view *view, struct cells *cells,
			      const struct cells_area *area)
{
	struct compare_view *self = view_compare_of(view);
	unsigned below = area->rows > 2 * (LINES_ABOVE + LINES_BELOW) ? LINES_BELOW : 0;

	if (has_two(self))
		draw_what(self, cells, area);
	if (!self->compare.n) {
		view_compare_draw_nothing(self, cells, area);
		return;
	}
	self->lines.page = area->rows > LINES_ABOVE + below ? area->rows - LINES_ABOVE - below : 1;
	lines_scroll(&self->lines, self->compare.n);
	view_compare_draw_head(cells, area);
	for (size_t i = self->lines.top; i < lines_end(&self->lines, self->compare.n); i++) {
		unsigned row = (unsigned)(i - self->lines.top) + LINES_ABOVE;

		view_compare_draw_line(self, cells, area, row, &self->compare.lines[i]);
		if (i == self->lines.selected)
			cells_select(cells, area, row);
	}
	if (below)
		view_compare_draw_chosen(self, cells, area);
}

static void put_only(struct strbuf *buf, const char *what, bool before, bool after)
{
	if (before != after)
		strbuf_addf(buf, "   %s only in the %s", what, before ? "first" : "second");
}

/* Appends what is missing from the comparison. */
static void put_missing(const struct compare_view *self, struct strbuf *buf)
{
	const struct compare_side *before = &self->sides[BEFORE], *after = &self->sides[AFTER];

	put_only(buf, "functions", before->tree, after->tree);
	put_only(buf, "system calls", before->syscalls.n, after->syscalls.n);
	for (unsigned i = 0; i < SIDES; i++)
		if (self->sides[i].feed.lost || self->sides[i].feed.lost_unknown)
			strbuf_addf(buf, "   events lost in the %s",
				    i == BEFORE ? "first" : "second");
}

static void view_compare_status(struct tui_view *view, struct strbuf *buf)
{
	struct compare_view *self = view_compare_of(view);
	const struct tui *tui = view->tui;
	const struct feed *feed;
	uint64_t first, last;

	if (self->compare.n) {
		strbuf_addf(buf, "%zu of %zu", self->lines.selected + 1, self->compare.n);
		put_missing(self, buf);
	}
	if (self->reading == SIDES)
		return;
	feed = &self->sides[self->reading].feed;
	first = feed->trace == tui->trace ? tui->first_time : tui->other.first_time;
	last = feed->trace == tui->trace ? tui->last_time : tui->other.last_time;
	if (feed->window->from > first)
		first = feed->window->from;
	if (feed->window->to < last)
		last = feed->window->to;
	strbuf_addf(buf, "reading the %s: %.0f %% (Esc cancels)",
		    self->reading == BEFORE ? "first" : "second",
		    last > first && feed->last > first ?
			    100 * (double)(feed->last - first) / (double)(last - first) :
			    0);
}

/* Returns the longest call of a function in what other views show, or NULL. */
static const struct instance *longest_call(const struct compare_view *self,
					   const struct compare_line *line)
{
	const struct call_diff *diff = &self->compare.calls[line->part];
	bool before = view_compare_here(self) == BEFORE;
	const struct call_tree *tree = diff->runs[!before];
	uint32_t node = diff->places[line->at * 2 + !before];

	if (node == CALL_NONE)
		return NULL;
	return compare_side_longest(&self->sides[view_compare_here(self)],
				    tree->funcs.list[tree->nodes[node].func].address);
}

static void choose_syscall(const struct compare_view *self, const struct compare_line *line,
			   struct view_choice *choice)
{
	const struct syscall_change *change = &self->compare.syscalls.list[line->at];
	const struct syscall_sums *sums = view_compare_here(self) == BEFORE ? &change->before :
									      &change->after;
	const char *name = syscall_change_name(change);

	if (sums->slowest_time) {
		choice->has_pid = sums->slowest_pid >= 0;
		choice->pid = sums->slowest_pid;
		choice->has_time = true;
		choice->from = sums->slowest_time;
		choice->to = sums->slowest_time + sums->max;
	}
	if (name)
		tui_take_name(name, choice->name);
}

static void view_compare_choose_call(const struct compare_view *self,
				     const struct compare_line *line, struct view_choice *choice)
{
	const struct func *func = call_diff_func(&self->compare.calls[line->part], line->at);
	const struct instance *longest = longest_call(self, line);

	if (longest) {
		choice->has_pid = longest->pid >= 0;
		choice->pid = longest->pid;
		choice->has_time = true;
		choice->from = longest->start;
		choice->to = longest->start + longest->duration;
	}
	if (func->name)
		tui_take_name(func->name, choice->name);
}

/* The longest call of the selected line. */
static bool choice(struct tui_view *view, struct view_choice *ret_choice)
{
	struct compare_view *self = view_compare_of(view);
	const struct compare_line *line;

	if (self->lines.selected >= self->compare.n)
		return false;
	line = &self->compare.lines[self->lines.selected];
	if (line->is_head)
		return false;
	*ret_choice = (struct view_choice){ 0 };
	if (line->part == COMPARE_SYSCALLS)
		choose_syscall(self, line, ret_choice);
	else
		view_compare_choose_call(self, line, ret_choice);
	return true;
}

static void view_compare_show(struct compare_view *self)
{
	struct view_choice choice_of_line = { 0 };

	if (!choice(&self->view, &choice_of_line))
		return;
	if (choice_of_line.has_time)
		tui_show(self->view.tui, &view_replay, &choice_of_line);
	else
		tui_say(self->view.tui, true, "no complete call in the %s, which the replay shows",
			view_compare_here(self) == BEFORE ? "first file" : "current time range");
}

static void view_compare_turn(struct compare_view *self, bool open)
{
	if (compare_turn(&self->compare, self->lines.selected, open) < 0)
		tui_say(self->view.tui, true, "out of memory");
	lines_scroll(&self->lines, self->compare.n);
}

static void view_compare_again(struct compare_view *self)
{
	struct fathom_err err;

	if (view_compare_load(&self->view, &err) < 0)
		tui_say(self->view.tui, true, "%.200s", err.message);
}

static void view_compare_keep(struct compare_view *self)
{
	const struct fathom_window *window = &self->view.tui->scope->window;

	if (has_files(self)) {
		tui_say(self->view.tui, true,
			"two files are open: to compare time ranges, open one file");
		return;
	}
	self->has_kept = true;
	self->kept_from = window->from;
	self->kept_to = window->to;
	view_compare_drop(self);
	tui_say(self->view.tui, false, "saved: the next time range is compared with this one");
}

static bool view_compare_move_key(struct compare_view *self, uint32_t key)
{
	int64_t by;

	if (!lines_key(key, self->lines.page, self->compare.n, &by))
		return false;
	lines_move(&self->lines, self->compare.n, by);
	return true;
}

/* Moves to the title of the next or previous part. */
static void view_compare_next_part(struct compare_view *self, bool up)
{
	size_t n = self->compare.n;

	for (size_t i = 1; i <= n; i++) {
		size_t at = (self->lines.selected + (up ? n - i : i)) % n;

		if (self->compare.lines[at].is_head) {
			/* With the lines inside it. */
			view_compare_select(self, at);
			lines_place(&self->lines, 0);
			return;
		}
	}
}

/* Moves to the next line whose calls became slower or faster beyond the noise. */
static void next_sure(struct compare_view *self)
{
	size_t n = self->compare.n;
	struct compare_values values;

	for (size_t i = 1; i <= n; i++) {
		size_t at = (self->lines.selected + i) % n;

		compare_values(&self->compare, &self->compare.lines[at], &values);
		if (str_eq(values.verdict, "slower") || str_eq(values.verdict, "faster")) {
			view_compare_select(self, at);
			return;
		}
	}
	tui_say(self->view.tui, true, "no significant differences in the duration of calls");
}

/* Closes the line, or moves to the line that contains it. */
static void close_line(struct compare_view *self)
{
	if (self->compare.lines[self->lines.selected].open)
		view_compare_turn(self, false);
	else
		view_compare_select(self, compare_parent(&self->compare, self->lines.selected));
}

static bool view_compare_key(struct tui_view *view, uint32_t key)
{
	struct compare_view *self = view_compare_of(view);
	const struct compare_line *line;

	if (key == 'b') {
		view_compare_keep(self);
		return true;
	}
	if (key == TUI_KEY_ENTER && self->ended) {
		view_compare_again(self);
		return true;
	}
	if (!self->compare.n)
		return false;
	if (view_compare_move_key(self, key))
		return true;
	line = &self->compare.lines[self->lines.selected];
	switch (key) {
	case TUI_KEY_ENTER:
		if (line->has_inside)
			view_compare_turn(self, !line->open);
		else
			view_compare_show(self);
		return true;
	case TUI_KEY_RIGHT:
		view_compare_turn(self, true);
		return true;
	case TUI_KEY_LEFT:
		close_line(self);
		return true;
	case 'u':
		view_compare_select(self, compare_parent(&self->compare, self->lines.selected));
		return true;
	case ']':
	case '[':
		view_compare_next_part(self, key == '[');
		return true;
	case '>':
		next_sure(self);
		return true;
	case 'r':
		view_compare_show(self);
		return true;
	default:
		return false;
	}
}

static const char *view_compare_text_of(void *data, size_t at)
{
	struct compare_view *self = data;

	strbuf_clear(&self->buf);
	compare_put_name(&self->compare, &self->compare.lines[at], &self->buf);
	return strbuf_str(&self->buf);
}

static int view_compare_search(struct tui_view *view, const char *text, bool up)
{
	struct compare_view *self = view_compare_of(view);
	size_t found = lines_find(self->compare.n, self->lines.selected, up, text,
				  view_compare_text_of, self);

	if (found == SIZE_MAX) {
		tui_say(view->tui, true, "no name contains '%.60s'", text);
		return 0;
	}
	view_compare_select(self, found);
	return 0;
}

static int view_compare_go(struct tui_view *view, uint64_t time)
{
	return 0;
}

static bool view_compare_click(struct tui_view *view, unsigned row)
{
	struct compare_view *self = view_compare_of(view);

	return row >= LINES_ABOVE && lines_click(&self->lines, self->compare.n, row - LINES_ABOVE);
}

static const struct view_key keys[] = {
	{ { 'j', TUI_KEY_DOWN }, "next line" },
	{ { 'k', TUI_KEY_UP }, "previous line" },
	{ { TUI_KEY_PAGE_DOWN, ' ' }, "page down" },
	{ { TUI_KEY_PAGE_UP }, "page up" },
	{ { 'g', TUI_KEY_HOME }, "first line" },
	{ { 'G', TUI_KEY_END }, "last line" },
	{ { TUI_KEY_ENTER }, "expand or collapse the line; without children: as 'r'" },
	{ { TUI_KEY_RIGHT }, "expand" },
	{ { TUI_KEY_LEFT }, "collapse, or go to the parent" },
	{ { 'u' }, "go to the parent" },
	{ { ']' }, "next section: system calls, calls by caller, functions" },
	{ { '[' }, "previous section" },
	{ { '>' }, "next line with significantly slower or faster calls" },
	{ { 'r' }, "go to the longest call of this name in the replay" },
	{ { 'b' }, "with one file: save this time range for comparison" },
};

const struct view_ops view_compare = {
	.name = "Compare",
	.keys = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.size = sizeof(struct compare_view),
	.load = view_compare_load,
	.done = view_compare_done,
	.turn_to = view_compare_turn_to,
	.draw = view_compare_draw,
	.status = view_compare_status,
	.key = view_compare_key,
	.search = view_compare_search,
	.go = view_compare_go,
	.work = view_compare_work,
	.cancel = view_compare_cancel,
	.click = view_compare_click,
	.choice = choice,
};
