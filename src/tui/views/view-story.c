/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary of the recorded command on one screen, with links to other views. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/calls/calls.h"
#include "analyze/calls/phases.h"
#include "analyze/stream/feed.h"
#include "base/clock.h"
#include "base/err.h"
#include "tui/lines.h"
#include "tui/story-lines.h"
#include "tui/view.h"

/* Number of events between two looks at the clock. */
#define SLICE 4096

struct story_view {
	struct tui_view view; /* must be first */
	struct phases *phases;
	struct summary summary;
	bool begun; /* there is a summary */
	char *command, *kernel; /* of the trace; NULL: unknown */
	struct feed feed;
	struct feeding *feeding; /* NULL: everything was read */
	struct story_lines lines;
	uint64_t made; /* number of events when the lines were made, */
	unsigned made_cols; /* and the width; 0: to be made again */
	struct lines seen; /* of @lines */
	char text[128]; /* text to search for */
};

static struct story_view *view_story_of(struct tui_view *view)
{
	return (struct story_view *)view;
}

static void view_story_drop(struct story_view *story)
{
	feed_end(story->feeding);
	story->feeding = NULL;
	if (story->begun)
		summary_done(&story->summary);
	story->begun = false;
	story->made_cols = 0;
	story->seen.selected = story->seen.top = 0;
}

static void view_story_done(struct tui_view *view)
{
	struct story_view *story = view_story_of(view);

	view_story_drop(story);
	phases_free(story->phases);
	free(story->command);
	free(story->kernel);
	story_lines_done(&story->lines);
}

static void view_story_take(void *data, const struct decoded_event *decoded)
{
	summary_feed(&((struct story_view *)data)->summary, decoded);
}

static int view_story_load(struct tui_view *view, struct fathom_err *err)
{
	struct story_view *story = view_story_of(view);
	struct tui *tui = view->tui;
	struct lines seen = story->seen;
	int r;

	view_story_drop(story);
	if (tui->follows)
		story->seen = seen;
	if (!story->phases) {
		r = phases_parse(phases_default, phases_default_len, &story->phases, err);
		if (r < 0)
			return r;
		story->command = summary_find_command(tui->trace);
		story->kernel = summary_find_kernel(tui->trace);
	}
	if (summary_init(&story->summary, report_kallsyms(tui->report), report_tasks(tui->report)) <
	    0)
		return err_nomem(err);
	story->begun = true;
	if (summary_follow(&story->summary, tui->trace, story->command) < 0)
		return err_nomem(err);
	story->summary.account.only = tui->scope->has_pid ? tui->scope->pid : 0;
	story->feed = (struct feed){ .trace = tui->trace,
				     .window = &tui->scope->window,
				     .events = report_events(tui->report),
				     .wanted = tui_wants_less(tui) ? tui_wants : NULL,
				     .wanted_data = tui,
				     .filtered = CALLS_FILTERED | SYSCALLS_FILTERED };
	summary_clip(&story->summary, &story->feed);
	return feed_begin(&story->feed, view_story_take, story, &story->feeding, err);
}

static int view_story_finish(struct story_view *story)
{
	feed_end(story->feeding);
	story->feeding = NULL;
	story->made_cols = 0;
	return summary_finish(&story->summary, story->phases, story->feed.late_more);
}

static int view_story_work(struct tui_view *view, uint64_t until)
{
	struct story_view *story = view_story_of(view);
	struct fathom_err err;
	int r = 1;

	if (!story->feeding)
		return 0;
	do {
		r = feed_some(story->feeding, SLICE, &err);
	} while (r == 1 && clock_ns(CLOCK_MONOTONIC) < until);
	if (r == 1)
		return 1;
	return view_story_finish(story) < 0 ? -ENOMEM : r;
}

static void view_story_cancel(struct tui_view *view)
{
	struct story_view *story = view_story_of(view);

	if (!story->feeding)
		return;
	if (view_story_finish(story) < 0)
		tui_say(view->tui, true, "out of memory");
	else
		tui_say(view->tui, true, "cancelled after %" PRIu64 " events",
			story->feed.n_events);
}

/* Updates the lines with events read since they were made. */
static void view_story_make(struct story_view *story, unsigned cols)
{
	bool whole = !story->view.tui->scope->kind;
	struct summary_about about = { .command = whole ? story->command : NULL,
				       .kernel = story->kernel,
				       .lost = story->feed.lost,
				       .lost_unknown = story->feed.lost_unknown };

	if (story->made == story->feed.n_events && story->made_cols == cols)
		return;
	about.ending = summary_find_ending(story->view.tui->trace, &about.ended);
	story_lines_make(&story->lines, &story->summary, &about, !story->feeding, cols);
	story->made = story->feed.n_events;
	story->made_cols = cols;
	if (story->lines.nomem)
		tui_say(story->view.tui, true, "out of memory");
}

static const struct story_line *view_story_chosen(const struct story_view *story)
{
	const struct story_line *line = story->seen.selected < story->lines.n ?
						&story->lines.list[story->seen.selected] :
						NULL;

	return line && line->way ? line : NULL;
}

/* Returns the next line with a link, starting at @at, or that of @at if there is none. */
static size_t next_way(const struct story_view *story, size_t at, bool up)
{
	for (size_t i = at; i < story->lines.n; i += up ? (size_t)-1 : 1)
		if (story->lines.list[i].way)
			return i;
	return SIZE_MAX;
}

static void view_story_choose(struct story_view *story, size_t at, bool up)
{
	size_t found = next_way(story, at, up);

	if (found == SIZE_MAX)
		found = next_way(story, at, !up);
	if (found != SIZE_MAX)
		story->seen.selected = found;
}

static void view_story_scroll(struct story_view *story)
{
	struct lines *seen = &story->seen;

	if (!view_story_chosen(story))
		view_story_choose(story,
				  story->seen.selected < story->lines.n ? story->seen.selected : 0,
				  false);
	if (!view_story_chosen(story))
		return;
	/* Also show the title above the first link, and the lines after the last one. */
	if (seen->selected == next_way(story, 0, false))
		seen->top = 0;
	lines_scroll(seen, story->lines.n);
	if (seen->selected == next_way(story, story->lines.n - 1, true) &&
	    story->lines.n > seen->page && story->lines.n - seen->page <= seen->selected)
		seen->top = story->lines.n - seen->page;
}

static void view_story_draw(struct tui_view *view, struct cells *cells,
			    const struct cells_area *area)
{
	struct story_view *story = view_story_of(view);

	view_story_make(story, area->cols);
	story->seen.page = area->rows ? area->rows : 1;
	view_story_scroll(story);
	if (!next_way(story, 0, false) || next_way(story, 0, false) == SIZE_MAX) {
		cells_puts(
			cells, area, 1, 2, CELL_DIM,
			story->feeding ?
				"reading" :
				tui_why_empty(
					view->tui,
					"no system calls or functions recorded: use 'fathom run', or 7 for all events"));
		return;
	}
	for (size_t at = story->seen.top; at < lines_end(&story->seen, story->lines.n); at++) {
		const struct story_line *line = &story->lines.list[at];
		unsigned i = (unsigned)(at - story->seen.top);
		const char *text = story_lines_get(&story->lines, line->text);
		unsigned col;

		col = cells_put(cells, area, i, 0, line->style, text, line->name);
		col = cells_put(cells, area, i, col, line->name_style, text + line->name,
				line->n_name);
		cells_puts(cells, area, i, col, line->style, text + line->name + line->n_name);
		if (line->style == CELL_HEAD)
			cells_paint(cells, area, i, CELL_HEAD);
		if (at == story->seen.selected && line->way)
			cells_select(cells, area, i);
	}
}

static void view_story_status(struct tui_view *view, struct strbuf *buf)
{
	static const char *const words[] = { [STORY_NOWHERE] = "",
					     [STORY_REPLAY] =
						     "Enter: longest instance in the replay",
					     [STORY_TEXT] = "Enter: first use in the replay",
					     [STORY_TASK] = "Enter: limit all views to this task",
					     [STORY_SYSCALLS] = "Enter: all system calls",
					     [STORY_FUNCTIONS] = "Enter: functions" };
	struct story_view *story = view_story_of(view);
	uint64_t first = view->tui->first_time, span = view->tui->last_time - first;
	const struct story_line *line = view_story_chosen(story);

	if (story->feeding && span && story->feed.last >= first)
		strbuf_addf(buf, "reading: %.0f %% (Esc cancels)   ",
			    100.0 * (double)(story->feed.last - first) / (double)span);
	if (line)
		strbuf_adds(buf, line->failed ? "Enter: first instance in the replay" :
						words[line->way]);
}

static void view_story_enter(struct story_view *story)
{
	const struct story_line *line = view_story_chosen(story);
	struct tui *tui = story->view.tui;
	const char *text;

	if (!line)
		return;
	text = story_lines_get(&story->lines, line->text);
	switch (line->way) {
	case STORY_REPLAY:
		tui_show(tui, &view_replay,
			 &(struct view_choice){ .has_time = true,
						.from = line->from,
						.to = line->to,
						.has_pid = line->pid >= 0,
						.pid = line->pid,
						.failed = line->failed });
		break;
	case STORY_TEXT:
		snprintf(story->text, sizeof(story->text), "%.*s", (int)line->n_name,
			 text + line->name);
		tui_show(tui, &view_replay,
			 &(struct view_choice){ .has_time = true,
						.from = tui->first_time,
						.to = tui->last_time,
						.text = story->text });
		break;
	case STORY_TASK:
		tui_push_task(tui, line->pid);
		break;
	case STORY_SYSCALLS:
		tui_show(tui, &view_syscalls, &(struct view_choice){ 0 });
		break;
	case STORY_FUNCTIONS:
		tui_show(tui, &view_functions, &(struct view_choice){ 0 });
		break;
	default:
		break;
	}
}

static void view_story_move(struct story_view *story, int64_t by)
{
	view_story_choose(story, lines_beside(&story->seen, story->lines.n, by), by < 0);
	view_story_scroll(story);
}

static bool view_story_key(struct tui_view *view, uint32_t key)
{
	struct story_view *story = view_story_of(view);
	int64_t by;

	if (lines_key(key, story->seen.page, story->lines.n, &by))
		view_story_move(story, by);
	else if (key == TUI_KEY_ENTER)
		view_story_enter(story);
	else
		return false;
	return true;
}

static const char *view_story_text_of(void *data, size_t at)
{
	const struct story_view *story = data;
	const struct story_line *line = &story->lines.list[at];

	return line->way ? story_lines_get(&story->lines, line->text) : NULL;
}

static int view_story_search(struct tui_view *view, const char *text, bool up)
{
	struct story_view *story = view_story_of(view);
	size_t found = lines_find(story->lines.n, story->seen.selected, up, text,
				  view_story_text_of, story);

	if (found == SIZE_MAX) {
		tui_say(view->tui, true, "no line contains '%.60s'", text);
		return 0;
	}
	story->seen.selected = found;
	view_story_scroll(story);
	return 0;
}

/* The summary covers all of the time. */
static int view_story_go(struct tui_view *view, uint64_t time)
{
	return 0;
}

static bool view_story_click(struct tui_view *view, unsigned row)
{
	struct story_view *story = view_story_of(view);
	size_t at = story->seen.top + row;

	return at < story->lines.n && story->lines.list[at].way &&
	       lines_click(&story->seen, story->lines.n, row);
}

static void view_story_turn_to(struct tui_view *view)
{
}

static bool view_story_choice(struct tui_view *view, struct view_choice *ret_choice)
{
	const struct story_line *line = view_story_chosen(view_story_of(view));

	if (!line)
		return false;
	*ret_choice = (struct view_choice){ .has_pid = line->pid >= 0,
					    .pid = line->pid,
					    .has_time = line->to != 0,
					    .from = line->from,
					    .to = line->to };
	if (line->way == STORY_REPLAY)
		tui_take_name(story_lines_get(&view_story_of(view)->lines, line->text) + line->name,
			      ret_choice->name);
	return true;
}

static const struct view_key keys[] = {
	{ { 'j', TUI_KEY_DOWN }, "next line with a target" },
	{ { 'k', TUI_KEY_UP }, "previous one" },
	{ { TUI_KEY_PAGE_DOWN, ' ' }, "page down" },
	{ { TUI_KEY_PAGE_UP }, "page up" },
	{ { 'g', TUI_KEY_HOME }, "first line" },
	{ { 'G', TUI_KEY_END }, "last line" },
	{ { TUI_KEY_ENTER }, "go to the subject of the line" },
};

const struct view_ops view_story = {
	.name = "Story",
	.keys = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.size = sizeof(struct story_view),
	.load = view_story_load,
	.done = view_story_done,
	.turn_to = view_story_turn_to,
	.draw = view_story_draw,
	.status = view_story_status,
	.key = view_story_key,
	.search = view_story_search,
	.go = view_story_go,
	.work = view_story_work,
	.cancel = view_story_cancel,
	.click = view_story_click,
	.choice = view_story_choice,
};
