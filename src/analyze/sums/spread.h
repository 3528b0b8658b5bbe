/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A distribution of values, in bins whose width grows with the value: eight per power of two, so
 * that quantiles are exact to within 7 %. Uses at most 2 KB, regardless of the number of values.
 * Values below 16 have a bin each. spread_done() frees the memory and leaves an empty object.
 */
#ifndef FATHOM_ANALYZE_SUMS_SPREAD_H
#define FATHOM_ANALYZE_SUMS_SPREAD_H

#include <stdint.h>

#define SPREAD_BINS 496 /* enough for all 64-bit values */

/* Empty when zero-initialized. */
struct spread {
	uint32_t *counts; /* of bins @low, @low + 1 ...; saturate at UINT32_MAX */
	uint16_t low, n;
};

/*
 * The bin of a value, the smallest value in a bin, and the smallest above it (0 for the last bin).
 */
unsigned spread_bin(uint64_t value);
uint64_t spread_bin_start(unsigned bin);
uint64_t spread_bin_end(unsigned bin);

/* These return 0, or -ENOMEM with @spread unchanged. */
int spread_add(struct spread *spread, uint64_t value);
/* Adds @n values to a bin, below SPREAD_BINS. */
int spread_add_n(struct spread *spread, unsigned bin, uint64_t n);
int spread_merge(struct spread *spread, const struct spread *from);
uint64_t spread_total(const struct spread *spread);
/* Returns approximately the @part/1000 quantile, or 0 if there are no values. */
uint64_t spread_quantile(const struct spread *spread, unsigned part);
/* The same, clamped to the smallest and the largest value, which the caller knows. */
uint64_t spread_quantile_within(const struct spread *spread, unsigned part, uint64_t min,
				uint64_t max);
void spread_done(struct spread *spread);

#endif
