/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A screen as cells: views draw here, and somebody else brings it to a terminal, or a test compares
 * it. Text is UTF-8; what a terminal would obey, cannot be seen or is no text is shown
 * as base/quote.h does. Drawing outside does nothing.
 */
#ifndef FATHOM_TUI_CELLS_H
#define FATHOM_TUI_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define CELLS_ROWS_MAX 1000
#define CELLS_COLS_MAX 2000

/* What a text is, never how it looks: that depends on the terminal. */
enum cell_style {
	CELL_PLAIN,
	CELL_DIM, /* there, but not what one looks for */
	CELL_STRONG,
	CELL_BAR, /* title and status */
	CELL_TAB, /* the chosen one in a bar */
	CELL_HEAD, /* of a table */
	CELL_TIME,
	CELL_TASK,
	CELL_EVENT,
	CELL_NAME, /* of a function or a system call */
	CELL_GOOD,
	CELL_WARN, /* slow, lost */
	CELL_ERROR,
	CELL_STYLES,
	CELL_SELECTED = 0x40, /* with each of them: the line that is chosen */
};

struct cell {
	char text[8]; /* one character with what is above and below it; "" behind a wide one */
	uint8_t len;
	uint8_t style;
};

/* Zero-initialised is empty. */
struct cells {
	struct cell *cells;
	unsigned rows, cols;
	size_t cap;
	bool ascii; /* characters beyond are escaped */
};

/* A part of the screen. */
struct cells_area {
	unsigned row, col, rows, cols;
};

/* Makes it so large and clears it; more than the largest is cut. 0 or -ENOMEM. */
int cells_resize(struct cells *cells, unsigned rows, unsigned cols);
void cells_clear(struct cells *cells);
void cells_clear_row(struct cells *cells, unsigned row);
void cells_done(struct cells *cells);

/* Draws in row @row of the area, at @col; what does not fit is left out. Where the next would go. */
unsigned cells_put(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		   unsigned style, const char *text, size_t len);
unsigned cells_puts(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		    unsigned style, const char *text);
unsigned cells_putf(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		    unsigned style, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Gives a whole row of the area a style, keeping its text. */
void cells_paint(struct cells *cells, const struct cells_area *area, unsigned row, unsigned style);
/* Marks a whole row of the area as chosen. */
void cells_select(struct cells *cells, const struct cells_area *area, unsigned row);

/* How many columns the text takes. */
unsigned cells_width(const struct cells *cells, const char *text, size_t len);
/*
 * Appends the screen as lines, without blanks at their ends. With @styles a second line follows each
 * that is not plain, with a letter for each column's style.
 */
void cells_dump(const struct cells *cells, bool styles, struct strbuf *buf);

#endif
