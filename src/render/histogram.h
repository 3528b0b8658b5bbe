/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A spread as rows of text: a range that doubles from row to row, how many are in it, a bar. */
#ifndef FATHOM_RENDER_HISTOGRAM_H
#define FATHOM_RENDER_HISTOGRAM_H

#include "analyze/spread.h"
#include "base/strbuf.h"
#include "render/out.h"

enum histogram_unit {
	HISTOGRAM_NS, /* times */
	HISTOGRAM_PLAIN, /* numbers */
};

/*
 * Adds a row for each doubling from the smallest value to the largest, none when @spread is
 * empty. The fullest has a bar as long as the width of @out allows, and whatever is there at all
 * has some. Lines begin with @indent blanks.
 */
void histogram_put(struct strbuf *buf, const struct spread *spread, enum histogram_unit unit,
		   unsigned indent, const struct out *out);

#endif
