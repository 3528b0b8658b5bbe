/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/cells.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/quote.h"

int cells_resize(struct cells *cells, unsigned rows, unsigned cols)
{
	rows = rows > CELLS_ROWS_MAX ? CELLS_ROWS_MAX : rows;
	cols = cols > CELLS_COLS_MAX ? CELLS_COLS_MAX : cols;
	if (mem_reserve(&cells->cells, &cells->cap, (size_t)rows * cols + 1,
			sizeof(*cells->cells)) < 0)
		return -ENOMEM;
	cells->rows = rows;
	cells->cols = cols;
	cells_clear(cells);
	return 0;
}

void cells_clear_row(struct cells *cells, unsigned row)
{
	for (size_t i = (size_t)row * cells->cols; i < ((size_t)row + 1) * cells->cols; i++)
		cells->cells[i] = (struct cell){ .text = " ", .len = 1 };
}

void cells_clear(struct cells *cells)
{
	for (unsigned row = 0; row < cells->rows; row++)
		cells_clear_row(cells, row);
}

void cells_done(struct cells *cells)
{
	free(cells->cells);
	*cells = (struct cells){ 0 };
}

/* A character or an escape, as shown, with its width in columns. */
struct glyph {
	const char *s; /* NULL: @escape is shown */
	char escape[QUOTE_SIZE];
	size_t len; /* bytes read */
	size_t shown; /* bytes shown */
	unsigned width;
};

static struct glyph next_glyph(const struct cells *cells, const char *text, size_t len)
{
	struct glyph glyph = { .s = text, .len = 1, .shown = 1, .width = 1 };
	uint32_t c = 0;
	int width;

	if (*text >= ' ' && *text < 0x7f)
		return glyph;
	/* Source lines start with tabs; each is one column here. */
	if (*text == '\t') {
		glyph.s = " ";
		return glyph;
	}
	glyph.len = glyph.shown = quote_next(text, len, !cells->ascii, glyph.escape);
	width = glyph.escape[0]		  ? (int)strlen(glyph.escape) :
		quote_utf8(text, len, &c) ? wcwidth((wchar_t)c) :
					    -1;
	if (width < 0) {
		glyph.s = "?";
		glyph.shown = 1;
		return glyph;
	}
	glyph.width = (unsigned)width;
	if (glyph.escape[0]) {
		glyph.s = NULL;
		glyph.shown = (size_t)width;
	}
	return glyph;
}

/* Appends a character without width to the one before it. */
static void combine(struct cells *cells, size_t at, const struct glyph *glyph)
{
	struct cell *cell = &cells->cells[at];

	while (cell->len == 0 && at > 0)
		cell = &cells->cells[--at];
	if (cell->len + glyph->shown > sizeof(cell->text))
		return;
	memcpy(cell->text + cell->len, glyph->s, glyph->shown);
	cell->len = (uint8_t)(cell->len + glyph->shown);
}

static void cells_set(struct cells *cells, size_t at, const struct glyph *glyph, unsigned style)
{
	struct cell *cell = &cells->cells[at];

	/* An escape consists of plain characters. */
	for (size_t i = 0; !glyph->s && i < glyph->shown; i++)
		cell[i] = (struct cell){ .text = { glyph->escape[i] },
					 .len = 1,
					 .style = (uint8_t)style };
	if (!glyph->s)
		return;
	memcpy(cell->text, glyph->s, glyph->shown);
	cell->len = (uint8_t)glyph->shown;
	cell->style = (uint8_t)style;
	for (unsigned i = 1; i < glyph->width; i++)
		cell[i] = (struct cell){ .style = (uint8_t)style };
}

unsigned cells_put(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		   unsigned style, const char *text, size_t len)
{
	unsigned end = area->col + area->cols < cells->cols ? area->cols :
		       area->col < cells->cols		    ? cells->cols - area->col :
							      0;
	size_t start;

	if (row >= area->rows || area->row + row >= cells->rows)
		return col;
	start = (size_t)(area->row + row) * cells->cols + area->col;
	while (len) {
		struct glyph glyph = next_glyph(cells, text, len);

		if (!glyph.width && col > 0 && col <= end)
			combine(cells, start + col - 1, &glyph);
		if (col + glyph.width > end)
			break;
		if (glyph.width)
			cells_set(cells, start + col, &glyph, style);
		col += glyph.width;
		text += glyph.len;
		len -= glyph.len;
	}
	return col;
}

unsigned cells_puts(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		    unsigned style, const char *text)
{
	return cells_put(cells, area, row, col, style, text, strlen(text));
}

unsigned cells_putf(struct cells *cells, const struct cells_area *area, unsigned row, unsigned col,
		    unsigned style, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (len < 0)
		return col;
	return cells_put(cells, area, row, col, style, text,
			 (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

/* Returns the part of a row that is in the area. */
static struct cell *cells_row_of(struct cells *cells, const struct cells_area *area, unsigned row,
				 unsigned *ret_n)
{
	*ret_n = 0;
	if (row >= area->rows || area->row + row >= cells->rows || area->col >= cells->cols)
		return NULL;
	*ret_n = cells->cols - area->col < area->cols ? cells->cols - area->col : area->cols;
	return &cells->cells[(size_t)(area->row + row) * cells->cols + area->col];
}

void cells_paint(struct cells *cells, const struct cells_area *area, unsigned row, unsigned style)
{
	unsigned n;
	struct cell *cell = cells_row_of(cells, area, row, &n);

	for (unsigned i = 0; i < n; i++)
		cell[i].style = (uint8_t)style;
}

void cells_select(struct cells *cells, const struct cells_area *area, unsigned row)
{
	unsigned n;
	struct cell *cell = cells_row_of(cells, area, row, &n);

	for (unsigned i = 0; i < n; i++)
		cell[i].style |= CELL_SELECTED;
}

unsigned cells_width(const struct cells *cells, const char *text, size_t len)
{
	unsigned width = 0;

	while (len) {
		struct glyph glyph = next_glyph(cells, text, len);

		width += glyph.width;
		text += glyph.len;
		len -= glyph.len;
	}
	return width;
}

static void dump_styles(const struct cell *cell, unsigned n, struct strbuf *buf)
{
	static const char letters[CELL_STYLES + 1] = ".dsbthTkenGWE";
	unsigned last = n;

	while (last && cell[last - 1].style == CELL_PLAIN)
		last--;
	if (!last)
		return;
	strbuf_addc(buf, '|');
	for (unsigned i = 0; i < last; i++)
		strbuf_addc(buf, cell[i].style == (CELL_SELECTED | CELL_PLAIN) ?
					 '#' :
					 letters[cell[i].style & ~CELL_SELECTED]);
	strbuf_addc(buf, '\n');
}

void cells_dump(const struct cells *cells, bool styles, struct strbuf *buf)
{
	for (unsigned row = 0; row < cells->rows; row++) {
		const struct cell *cell = &cells->cells[(size_t)row * cells->cols];
		unsigned last = cells->cols;

		while (last && cell[last - 1].len == 1 && cell[last - 1].text[0] == ' ')
			last--;
		for (unsigned i = 0; i < last; i++)
			strbuf_add(buf, cell[i].text, cell[i].len);
		strbuf_addc(buf, '\n');
		if (styles)
			dump_styles(cell, cells->cols, buf);
	}
}
