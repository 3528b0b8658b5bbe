/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How values are spread, on an even scale that need not be known before: each value is kept
 * with three digits, so that rows of any round width that is not finer can be counted exactly.
 * About 130 KB, whatever the values are.
 */
#ifndef FATHOM_ANALYZE_SUMS_LINEAR_SPREAD_H
#define FATHOM_ANALYZE_SUMS_LINEAR_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct linear_spread {
	uint64_t *counts; /* by bin */
	uint64_t min, max;
	uint64_t n;
};

struct linear_row {
	uint64_t from, to; /* values that are not smaller than @from, and smaller than @to */
	uint64_t count;
};

#define LINEAR_ROWS 20

/* 0 or -ENOMEM. */
int linear_spread_add(struct linear_spread *spread, uint64_t value);
/*
 * Rows of one width (1, 2 or 5 with zeros) up to about @top, from the smallest value on; what is
 * beyond them is in one more, whose end is behind the largest. Returns their number.
 */
size_t linear_spread_rows(const struct linear_spread *spread, uint64_t top,
			  struct linear_row ret_rows[LINEAR_ROWS + 1]);
void linear_spread_done(struct linear_spread *spread);

#endif
