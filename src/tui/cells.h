/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen as cells. Views draw here; term.h sends the cells to a terminal, tests compare them.
 * Text is UTF-8; what a terminal would interpret, invalid UTF-8 and invisible characters are shown
 * as in base/quote.h, so untrusted text may be drawn. Drawing outside an area has no effect. Not
 * thread-safe.
 */
#ifndef FATHOM_TUI_CELLS_H
#define FATHOM_TUI_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define CELLS_ROWS_MAX 1000
#define CELLS_COLS_MAX 2000

/* The role of a text; its appearance depends on the terminal. */
enum cell_style {
	CELL_PLAIN,
	CELL_DIM, /* less important */
	CELL_STRONG,
	CELL_BAR, /* title and status */
	CELL_TAB, /* the selected one in a bar */
	CELL_HEAD, /* of a table */
	CELL_TIME,
	CELL_TASK,
	CELL_EVENT,
	CELL_NAME, /* of a function or a system call */
	CELL_GOOD,
	CELL_WARN, /* slow, lost */
	CELL_ERROR,
	CELL_STYLES,
	CELL_SELECTED = 0x40, /* a flag: the selected line */
};

struct cell {
	char text[8]; /* a character with combining ones; "" for the second half of a wide one */
	uint8_t len;
	uint8_t style;
};

/* Empty when zero-initialized. Released with cells_done(). */
struct cells {
	struct cell *cells;
	unsigned rows, cols;
	size_t cap;
	bool ascii; /* escape non-ASCII characters */
};

/* A part of the screen. */
struct cells_area {
	unsigned row, col, rows, cols;
};

/* Sets the size, up to the maximum, and clears the screen. Returns 0 or -ENOMEM. */
int cells_resize(struct cells *cells, unsigned rows, unsigned cols);
void cells_clear(struct cells *cells);
void cells_clear_row(struct cells *cells, unsigned row);
void cells_done(struct cells *cells);

/*
 * Draw in row @row of the area, beginning at column @col, and cut what exceeds the area. Return the
 * column after the text. cells_putf() draws at most 1023 bytes.
 */
unsigned cells_put(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		   unsigned style, const char *text, size_t len);
unsigned cells_puts(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		    unsigned style, const char *text);
unsigned cells_putf(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		    unsigned style, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Sets the style of a whole row of the area, keeping its text. */
void cells_paint(struct cells *cells, const struct cells_area *area, unsigned row, unsigned style);
/* Marks a whole row of the area as selected. */
void cells_select(struct cells *cells, const struct cells_area *area, unsigned row);

/* Returns the width of a text in columns. */
unsigned cells_width(const struct cells *cells, const char *text, size_t len);
/*
 * Appends the screen as lines, without trailing spaces. With @styles, each line that has styles is
 * followed by a line with a letter for the style of each column.
 */
void cells_dump(const struct cells *cells, bool styles, struct strbuf *buf);

#endif
