/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tui/app/app.h"

static void put_keys(const struct view_key *key, struct strbuf *buf)
{
	char name[TUI_KEY_NAME_SIZE];

	strbuf_clear(buf);
	for (size_t i = 0; i < sizeof(key->keys) / sizeof(key->keys[0]) && key->keys[i]; i++)
		strbuf_addf(buf, "%s%s", i ? " " : "", tui_key_name(key->keys[i], name));
}

/* Draws the visible part of a table. Returns the row after it. */
static unsigned draw_table(struct app *app, struct cells *cells, const struct cells_area *area,
			   unsigned row, const char *title, const struct view_key *keys, size_t n)
{
	const struct lines *lines = &app->help_lines;
	unsigned at;

	if (lines_row(lines, row, &at))
		cells_puts(cells, area, at, 1, CELL_HEAD, title);
	row++;
	for (size_t i = 0; i < n; i++, row++) {
		if (!lines_row(lines, row, &at))
			continue;
		put_keys(&keys[i], &app->line);
		cells_puts(cells, area, at, 3, CELL_NAME, strbuf_str(&app->line));
		cells_puts(cells, area, at, 18, CELL_PLAIN, keys[i].what);
	}
	return row + 1;
}

/* Two tables, each with a title, separated by an empty line. */
size_t app_help_lines(const struct app *app, size_t n)
{
	return app->views[app->current]->ops->n_keys + n + 3;
}

void app_draw_help(struct app *app, const struct view_key *keys, size_t n, struct cells *cells,
		   const struct cells_area *area)
{
	const struct view_ops *ops = app->views[app->current]->ops;
	unsigned row;

	app->help_lines.page = area->rows;
	lines_pan(&app->help_lines, app_help_lines(app, n), 0);
	row = draw_table(app, cells, area, 0, ops->name, ops->keys, ops->n_keys);
	draw_table(app, cells, area, row, "Everywhere", keys, n);
}
