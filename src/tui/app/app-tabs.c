/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first line, with the tabs of all views. */
#include <string.h>

#include "tui/app/app.h"

/* To add a view, add a line here. */
const struct app_tab app_tabs[] = {
	{ .key = '1', .ops = &view_story },
	{ .key = '2', .ops = &view_replay },
	{ .key = '3', .ops = &view_timeline, .brief = "Time" },
	{ .key = '4', .ops = &view_syscalls, .brief = "Syscalls" },
	{ .key = '5', .ops = &view_functions, .brief = "Funcs" },
	{ .key = '6', .ops = &view_flame },
	{ .key = '7', .ops = &view_events },
	{ .key = '8', .ops = &view_source },
	{ .key = '9', .ops = &view_compare },
};
const unsigned app_n_tabs = sizeof(app_tabs) / sizeof(app_tabs[0]);
_Static_assert(sizeof(app_tabs) / sizeof(app_tabs[0]) <= APP_VIEWS_MAX,
	       "more views than app.h has");

/* How much space the tabs take; the widest layout that the screen has space for is used. */
enum spacing {
	SPACING_WIDE, /* "fathom   1 System calls   2 Functions " */
	SPACING_TIGHT, /* "1 System calls 2 Functions" */
	SPACING_BRIEF, /* "4 Syscalls 5 Funcs": nine of them in 80 columns */
	SPACING_NUMBERS, /* only the selected tab has a name */
};

#define TITLE "fathom"

static const char *app_tabs_name_of(unsigned tab, enum spacing spacing)
{
	return spacing >= SPACING_BRIEF && app_tabs[tab].brief ? app_tabs[tab].brief :
								 app_tabs[tab].ops->name;
}

/*
 * Computes the column in which each tab begins. Returns the column after the last one. Names are
 * ASCII.
 */
static unsigned lay_out(const struct app *app, enum spacing spacing, unsigned ret_at[])
{
	bool wide = spacing == SPACING_WIDE;
	unsigned col = wide ? 1 + (unsigned)strlen(TITLE) : 0;

	for (unsigned i = 0; i < app_n_tabs; i++) {
		ret_at[i] = col += wide || i > 0;
		col += 1 + (wide ? 2 : 0);
		if (i == app->current || spacing != SPACING_NUMBERS)
			col += 1 + (unsigned)strlen(app_tabs_name_of(i, spacing));
	}
	return col;
}

static enum spacing choose_spacing(const struct app *app, unsigned cols, unsigned ret_at[],
				   unsigned *ret_end)
{
	enum spacing spacing = SPACING_WIDE;

	for (;; spacing++) {
		*ret_end = lay_out(app, spacing, ret_at);
		if (*ret_end <= cols || spacing == SPACING_NUMBERS)
			return spacing;
	}
}

unsigned app_tab_at(const struct app *app, unsigned col)
{
	unsigned at[APP_VIEWS_MAX], end, found = app_n_tabs;

	choose_spacing(app, app->cols, at, &end);
	for (unsigned i = 0; i < app_n_tabs && col < end; i++)
		if (col >= at[i])
			found = i;
	return found;
}

void app_draw_tabs(struct app *app, struct cells *cells, const struct cells_area *area)
{
	unsigned at[APP_VIEWS_MAX], end;
	enum spacing spacing = choose_spacing(app, area->cols, at, &end);
	const char *pad = spacing == SPACING_WIDE ? " " : "";

	if (spacing == SPACING_WIDE)
		cells_puts(cells, area, 0, 1, CELL_BAR, TITLE);
	for (unsigned i = 0; i < app_n_tabs; i++) {
		bool chosen = i == app->current, named = chosen || spacing != SPACING_NUMBERS;

		cells_putf(cells, area, 0, at[i], chosen ? CELL_TAB : CELL_BAR, "%s%c%s%s%s", pad,
			   (char)app_tabs[i].key, named ? " " : "",
			   named ? app_tabs_name_of(i, spacing) : "", pad);
	}
	cells_puts(cells, area, 0, end + 2, CELL_BAR, app->tui.path);
}
