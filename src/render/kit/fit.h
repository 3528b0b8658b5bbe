/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fits the rows of a table to the width of the output: columns of numbers that don't fit beside the
 * text at the end of a row are left out, the least important ones first, and longer lines are cut.
 * An ellipsis shows both. No number is cut. Nothing is left out or cut if the output has no width
 * of its own: in a pipe or file, unless COLUMNS is set.
 *
 * All rows have the same columns, so omitted ones are found by their position in the line. Widths
 * are those of a terminal: wide characters take two columns, combining ones and escape sequences
 * none. Not thread-safe.
 */
#ifndef FATHOM_RENDER_KIT_FIT_H
#define FATHOM_RENDER_KIT_FIT_H

#include <stddef.h>

#include "base/strbuf.h"
#include "render/kit/out.h"

#define FIT_COLUMNS_MAX 32
/* The space for text at the end of a row that is kept free by leaving out numbers. */
#define FIT_TEXT 22

struct fit_column {
	unsigned end; /* its end, in columns of the terminal; it begins at the end of the one before */
	unsigned rank; /* columns of a higher rank are left out first; 0: never left out */
};

struct fit {
	const struct out *out;
	struct {
		unsigned from, to;
	} gone[FIT_COLUMNS_MAX]; /* ordered */
	size_t n_gone;
};

/* Determines which of these columns are omitted from rows that end with @text columns of text. */
void fit_init(struct fit *fit, const struct out *out, const struct fit_column *columns, size_t n,
	      unsigned text);
/* Writes the lines of @buf, fitted, and clears it. Returns the error of @buf, 0 or -ENOMEM. */
int fit_write(const struct fit *fit, struct strbuf *buf);
/* The same for the line of titles, where the ellipsis represents the omitted columns. */
int fit_write_head(const struct fit *fit, struct strbuf *buf);
/* Fits lines without columns of numbers: cuts those that are too long. */
int fit_write_lines(const struct out *out, struct strbuf *buf);

/* Appends @text quoted, cut to @columns. Returns its width in columns. */
size_t fit_put(struct strbuf *buf, const struct out *out, const char *text, size_t columns);

#endif
