/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A distribution for histograms with rows of equal width. The range need not be known in advance:
 * values are stored with three significant digits, so that rows of a round width that is not finer
 * can be counted exactly. Uses 130 KB from the first value on, regardless of the values.
 * linear_spread_done() frees it and leaves an empty object.
 */
#ifndef FATHOM_ANALYZE_SUMS_LINEAR_SPREAD_H
#define FATHOM_ANALYZE_SUMS_LINEAR_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/* Empty when zero-initialized. */
struct linear_spread {
	uint64_t *counts; /* by bin; NULL if empty */
	uint64_t min, max;
	uint64_t n;
};

struct linear_row {
	uint64_t from, to; /* @from <= value < @to */
	uint64_t count;
};

#define LINEAR_ROWS 20

/* Returns 0 or -ENOMEM, with the distribution unchanged. */
int linear_spread_add(struct linear_spread *spread, uint64_t value);
/*
 * Fills in rows of equal width (1, 2 or 5 times a power of ten) from the smallest value up to about
 * @top. Larger values are counted in an additional row, which ends after the largest. Returns the
 * number of rows, 0 if there are no values.
 */
size_t linear_spread_rows(const struct linear_spread *spread, uint64_t top,
			  struct linear_row ret_rows[LINEAR_ROWS + 1]);
void linear_spread_done(struct linear_spread *spread);

#endif
