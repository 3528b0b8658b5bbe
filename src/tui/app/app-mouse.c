/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mouse, and copying a line: both refer to what is on the screen. */
#include <errno.h>
#include <string.h>

#include "tui/app/app.h"

/* Number of lines that the wheel scrolls. */
#define WHEEL 3
/* Lines are copied from a screen this wide; a longer run of spaces is its right margin. */
#define WIDE   1000
#define BLANKS 40

void app_mouse(struct app *app, enum app_mouse what, unsigned row, unsigned col)
{
	struct tui_view *view = app->views[app->current];
	unsigned tab;

	if (what != APP_CLICK) {
		for (int i = 0; i < WHEEL; i++)
			app_key(app, what == APP_WHEEL_UP ? TUI_KEY_UP : TUI_KEY_DOWN);
		return;
	}
	if (app->help || app->prompt) {
		app_key(app, TUI_KEY_ESCAPE);
	} else if (row == 0) {
		tab = app_tab_at(app, col);
		if (tab < app_n_tabs)
			app_key(app, app_tabs[tab].key);
	} else if (view->loaded && view->ops->click && row >= app->area.row &&
		   row < app->area.row + app->area.rows) {
		app->tui.message[0] = '\0';
		app_live_hold(app);
		if (view->ops->click(view, row - app->area.row))
			app_key(app, TUI_KEY_ENTER);
		app->works = true;
	}
}

/*
 * Appends the text of a row without trailing spaces, and without those before right-aligned text.
 */
static void app_mouse_put_row(const struct cells *cells, unsigned row, struct strbuf *buf)
{
	const struct cell *cell = &cells->cells[(size_t)row * cells->cols];
	size_t blanks = 0;

	for (unsigned col = 0; col < cells->cols; col++) {
		if (cell[col].len == 1 && cell[col].text[0] == ' ') {
			blanks++;
			continue;
		}
		if (buf->len)
			strbuf_pad(buf, ' ', blanks > BLANKS ? 2 : blanks);
		blanks = 0;
		strbuf_add(buf, cell[col].text, cell[col].len);
	}
}

int app_copy(struct app *app, unsigned rows, struct strbuf *ret_text)
{
	struct cells wide = { 0 };

	app->copies = false;
	if (cells_resize(&wide, rows, WIDE) < 0)
		return -ENOMEM;
	app_draw(app, &wide);
	strbuf_clear(ret_text);
	for (unsigned row = 0; row < wide.rows && !ret_text->len; row++)
		if (wide.cells[(size_t)row * wide.cols].style & CELL_SELECTED)
			app_mouse_put_row(&wide, row, ret_text);
	cells_done(&wide);
	if (ret_text->err)
		return -ENOMEM;
	if (ret_text->len)
		tui_say(&app->tui, false, "copied: %.200s", strbuf_str(ret_text));
	else
		tui_say(&app->tui, true, "no line selected");
	return ret_text->len ? 0 : -ENOENT;
}
