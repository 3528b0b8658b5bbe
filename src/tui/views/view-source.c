/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The function selected in another view: its prototype, where its source is, and its text. The
 * viewer cannot open files, so it asks its helper.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "render/command/summary.h"
#include "tui/helper.h"
#include "tui/lines.h"
#include "tui/view.h"

/* How long a slice waits for an answer, in ms. */
#define WAIT_MS 20

struct source_view {
	struct tui_view view; /* must be first */
	char name[TUI_NAME_SIZE]; /* the function that @text is about; "": none */
	struct strbuf text;
	bool waits; /* for the helper's answer */
	char *kernel; /* release of the trace's kernel; NULL: unknown */
	size_t n_lines;
	struct lines lines; /* has no selection */
};

static struct source_view *view_source_of(struct tui_view *view)
{
	return (struct source_view *)view;
}

/* The scope is irrelevant here. */
static int view_source_load(struct tui_view *view, struct fathom_err *err)
{
	struct source_view *source = view_source_of(view);

	if (!source->kernel)
		source->kernel = summary_find_kernel(view->tui->trace);
	return 0;
}

static void view_source_done(struct tui_view *view)
{
	strbuf_done(&view_source_of(view)->text);
	free(view_source_of(view)->kernel);
}

/* The helper's information is about the running kernel. Returns whether that is not the trace's. */
static bool is_other_kernel(const struct source_view *source)
{
	return source->kernel && *source->kernel &&
	       strstr(strbuf_str(&source->text), "in Linux ") &&
	       !strstr(strbuf_str(&source->text), source->kernel);
}

static void view_source_count_lines(struct source_view *source)
{
	const char *p = strbuf_str(&source->text);

	for (source->n_lines = 0; *p; source->n_lines++)
		p += strcspn(p, "\n") + (p[strcspn(p, "\n")] == '\n');
}

static void view_source_show(struct source_view *source, const char *text)
{
	strbuf_clear(&source->text);
	strbuf_adds(&source->text, text);
	view_source_count_lines(source);
}

static void view_source_turn_to(struct tui_view *view)
{
	struct source_view *source = view_source_of(view);
	char request[TUI_NAME_SIZE + 16];

	if (str_eq(source->name, view->tui->subject))
		return;
	memcpy(source->name, view->tui->subject, sizeof(source->name));
	source->lines.top = 0;
	snprintf(request, sizeof(request), "explain %s", source->name);
	source->waits = helper_ask(view->tui->helper, request) == 0;
	view_source_show(source,
			 source->waits ? "searching" : "no helper process to ask for its source");
}

static int view_source_work(struct tui_view *view, uint64_t until)
{
	struct source_view *source = view_source_of(view);
	int r = source->waits ? helper_wait(view->tui->helper, WAIT_MS, &source->text) : 0;

	if (r == 1 || !source->waits)
		return r;
	source->waits = false;
	if (r == -ENOMEM)
		return r;
	if (r < 0 && !source->text.len)
		view_source_show(source, "no information");
	view_source_count_lines(source);
	return 0;
}

static void view_source_cancel(struct tui_view *view)
{
	struct source_view *source = view_source_of(view);

	if (source->waits)
		view_source_show(source, "search cancelled");
	source->waits = false;
	source->name[0] = '\0';
}

/* Source lines start with their number. */
static unsigned view_source_style_of(const char *line, size_t number)
{
	size_t digits = strspn(line + strspn(line, " "), "0123456789");

	if (!number)
		return CELL_STRONG;
	return digits && line[0] == ' ' ? CELL_PLAIN : line[0] == ' ' ? CELL_NAME : CELL_DIM;
}

static void view_source_draw(struct tui_view *view, struct cells *cells,
			     const struct cells_area *area)
{
	struct source_view *source = view_source_of(view);
	const char *line = strbuf_str(&source->text);

	source->lines.page = area->rows ? area->rows : 1;
	lines_pan(&source->lines, source->n_lines, 0);
	if (!source->name[0] && !source->text.len) {
		cells_puts(cells, area, 1, 2, CELL_DIM, "select a function in another view first");
		return;
	}
	for (size_t i = 0; *line && i < lines_end(&source->lines, source->n_lines); i++) {
		size_t len = strcspn(line, "\n");
		unsigned row;

		if (lines_row(&source->lines, i, &row))
			cells_put(cells, area, row, 1, view_source_style_of(line, i), line, len);
		line += len + (line[len] == '\n');
	}
}

static void view_source_status(struct tui_view *view, struct strbuf *buf)
{
	struct source_view *source = view_source_of(view);

	if (source->waits)
		strbuf_addf(buf, "searching for '%s' (Esc cancels)", source->name);
	else if (source->n_lines)
		strbuf_addf(buf, "%zu of %zu lines   o: open in the editor", source->lines.top + 1,
			    source->n_lines);
	if (is_other_kernel(source))
		strbuf_addf(buf, "   (recorded on Linux %s)", source->kernel);
}

static bool view_source_key(struct tui_view *view, uint32_t key)
{
	struct source_view *source = view_source_of(view);
	int64_t page = source->lines.page > 1 ? source->lines.page - 1 : 1, by;

	if (lines_key(key, page, source->n_lines, &by))
		lines_pan(&source->lines, source->n_lines, by);
	else if (key == 'o')
		view->tui->edit = source->name[0] != '\0';
	else
		return false;
	return true;
}

static int view_source_search(struct tui_view *view, const char *text, bool up)
{
	struct source_view *source = view_source_of(view);
	const char *line = strbuf_str(&source->text);
	size_t found = SIZE_MAX;

	for (size_t i = 0; *line; i++) {
		size_t len = strcspn(line, "\n");
		const char *at = strcasestr(line, text);

		if (at && at < line + len && (up ? i < source->lines.top : i > source->lines.top)) {
			found = i;
			if (!up)
				break;
		}
		line += len + (line[len] == '\n');
	}
	if (found == SIZE_MAX)
		tui_say(view->tui, true, "'%.60s' not found %s", text, up ? "above" : "below");
	else
		source->lines.top = found;
	return 0;
}

static int view_source_go(struct tui_view *view, uint64_t time)
{
	return 0;
}

static const struct view_key keys[] = {
	{ { 'j', TUI_KEY_DOWN }, "next line" },	     { { 'k', TUI_KEY_UP }, "previous line" },
	{ { TUI_KEY_PAGE_DOWN, ' ' }, "page down" }, { { TUI_KEY_PAGE_UP }, "page up" },
	{ { 'g', TUI_KEY_HOME }, "first line" },     { { 'G', TUI_KEY_END }, "last line" },
	{ { 'o' }, "open the source in $EDITOR" },
};

const struct view_ops view_source = {
	.name = "Source",
	.keys = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.size = sizeof(struct source_view),
	.load = view_source_load,
	.done = view_source_done,
	.turn_to = view_source_turn_to,
	.draw = view_source_draw,
	.status = view_source_status,
	.key = view_source_key,
	.search = view_source_search,
	.go = view_source_go,
	.work = view_source_work,
	.cancel = view_source_cancel,
};
