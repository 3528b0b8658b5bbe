/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A spread as rows of text: a range that doubles from row to row, how many are in it, a bar. */
#ifndef FATHOM_RENDER_KIT_HISTOGRAM_H
#define FATHOM_RENDER_KIT_HISTOGRAM_H

#include "analyze/sums/spread.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

enum histogram_unit {
	HISTOGRAM_NS, /* times */
	HISTOGRAM_PLAIN, /* numbers */
};

struct histogram_row {
	uint64_t from, to; /* to 0: without an end */
	uint64_t count;
};

/*
 * Adds these rows. The fullest has a bar as long as the width of @out allows, and whatever is
 * there at all has some. Lines begin with @indent blanks.
 */
void histogram_put_rows(struct strbuf *buf, const struct histogram_row *rows, size_t n,
			enum histogram_unit unit, unsigned indent, const struct out *out);
/*
 * Adds a row for each doubling from the smallest value to the largest, none when @spread is
 * empty.
 */
void histogram_put(struct strbuf *buf, const struct spread *spread, enum histogram_unit unit,
		   unsigned indent, const struct out *out);

#define HISTOGRAM_ROWS 65 /* for 0, and for each highest bit */
/* The same rows, for other uses; returns their number. */
size_t histogram_rows(const struct spread *spread, struct histogram_row ret_rows[HISTOGRAM_ROWS]);

#endif
