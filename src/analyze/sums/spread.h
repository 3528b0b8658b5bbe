/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How values are spread: counts in bins whose width grows with the value, eight to a
 * doubling, so that a quantile is known to within 7 % at a few hundred bytes however
 * many values there are. Small values have a bin each. Spreads can be added to one another.
 */
#ifndef FATHOM_ANALYZE_SUMS_SPREAD_H
#define FATHOM_ANALYZE_SUMS_SPREAD_H

#include <stdint.h>

#define SPREAD_BINS 496 /* for all values that there are */

/* Zero-initialised is empty. */
struct spread {
	uint32_t *counts; /* of the bins from @low on; they stay at UINT32_MAX */
	uint16_t low, n;
};

/* The bin of a value, its smallest value, and the smallest that is beyond it (0: none is). */
unsigned spread_bin(uint64_t value);
uint64_t spread_bin_start(unsigned bin);
uint64_t spread_bin_end(unsigned bin);

/* 0 or -ENOMEM. */
int spread_add(struct spread *spread, uint64_t value);
int spread_merge(struct spread *spread, const struct spread *from);
uint64_t spread_total(const struct spread *spread);
/* The value below which @part of 1000 of the values are, about; 0 when it is empty. */
uint64_t spread_quantile(const struct spread *spread, unsigned part);
/* The same, but never beyond the smallest and the largest value, which the caller knows. */
uint64_t spread_quantile_within(const struct spread *spread, unsigned part, uint64_t min,
				uint64_t max);
void spread_done(struct spread *spread);

#endif
