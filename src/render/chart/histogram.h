/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders a distribution as rows of text: a range, a count and a bar. Each range is twice as wide
 * as the one before.
 */
#ifndef FATHOM_RENDER_CHART_HISTOGRAM_H
#define FATHOM_RENDER_CHART_HISTOGRAM_H

#include "analyze/sums/spread.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

enum histogram_unit {
	HISTOGRAM_NS, /* durations in nanoseconds */
	HISTOGRAM_PLAIN, /* numbers */
};

struct histogram_row {
	uint64_t from, to; /* [from, to); to is 0 if there is no upper bound */
	uint64_t count;
};

/*
 * Appends these rows, indented by @indent spaces. The highest count has the longest bar that the
 * width of @out allows; every non-zero count has a bar.
 */
void histogram_put_rows(struct strbuf *buf, const struct histogram_row *rows, size_t n,
			enum histogram_unit unit, unsigned indent, const struct out *out);
/* Appends the rows of histogram_rows(), or nothing if @spread is empty. */
void histogram_put(struct strbuf *buf, const struct spread *spread, enum histogram_unit unit,
		   unsigned indent, const struct out *out);

#define HISTOGRAM_ROWS 65 /* one for 0, and one per bit */
/*
 * Computes a row for each power of two from the smallest value to the largest. Returns their
 * number, 0 if @spread is empty.
 */
size_t histogram_rows(const struct spread *spread, struct histogram_row ret_rows[HISTOGRAM_ROWS]);

#endif
