/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/sums/spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SUB_BITS 3
#define SUBS	 (1U << SUB_BITS)
#define SMALL	 (SUBS << 1) /* values below this have a bin each */

unsigned spread_bin(uint64_t value)
{
	unsigned shift;

	if (value < SMALL)
		return (unsigned)value;
	shift = 63 - (unsigned)__builtin_clzll(value) - SUB_BITS;
	return (shift << SUB_BITS) + (unsigned)(value >> shift);
}

uint64_t spread_bin_start(unsigned bin)
{
	unsigned shift;

	if (bin < SMALL)
		return bin;
	shift = (bin >> SUB_BITS) - 1;
	return (uint64_t)(SUBS + bin % SUBS) << shift;
}

uint64_t spread_bin_end(unsigned bin)
{
	return bin + 1 < SPREAD_BINS ? spread_bin_start(bin + 1) : 0;
}

/* Makes room for the bins @low to @high. Returns 0 or -ENOMEM. */
static int spread_reach(struct spread *spread, unsigned low, unsigned high)
{
	uint32_t *counts;

	if (spread->n) {
		if (low > spread->low)
			low = spread->low;
		if (high < spread->low + spread->n - 1U)
			high = spread->low + spread->n - 1U;
	}
	if (spread->n == high - low + 1)
		return 0;
	counts = mem_zalloc(high - low + 1, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	if (spread->n)
		memcpy(counts + (spread->low - low), spread->counts, spread->n * sizeof(*counts));
	free(spread->counts);
	spread->counts = counts;
	spread->low = (uint16_t)low;
	spread->n = (uint16_t)(high - low + 1);
	return 0;
}

int spread_add_n(struct spread *spread, unsigned bin, uint64_t n)
{
	unsigned at = bin - spread->low;

	if (bin < spread->low || at >= spread->n) {
		int r = spread_reach(spread, bin, bin);

		if (r < 0)
			return r;
		at = bin - spread->low;
	}
	if (__builtin_add_overflow(spread->counts[at], n, &spread->counts[at]))
		spread->counts[at] = UINT32_MAX;
	return 0;
}

int spread_add(struct spread *spread, uint64_t value)
{
	return spread_add_n(spread, spread_bin(value), 1);
}

int spread_merge(struct spread *spread, const struct spread *from)
{
	int r;

	if (!from->n)
		return 0;
	r = spread_reach(spread, from->low, from->low + from->n - 1U);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < from->n; i++) {
		uint32_t *count = &spread->counts[from->low + i - spread->low];

		if (__builtin_add_overflow(*count, from->counts[i], count))
			*count = UINT32_MAX;
	}
	return 0;
}

uint64_t spread_total(const struct spread *spread)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < spread->n; i++)
		total += spread->counts[i];
	return total;
}

uint64_t spread_quantile(const struct spread *spread, unsigned part)
{
	uint64_t total = spread_total(spread), wanted, seen = 0;

	if (!total)
		return 0;
	wanted = total / 1000 * part + (total % 1000 * part + 999) / 1000;
	for (unsigned i = 0; i < spread->n; i++) {
		uint64_t start = spread_bin_start(spread->low + i);
		uint64_t end = spread_bin_end(spread->low + i);

		seen += spread->counts[i];
		if (seen >= wanted)
			return start + (end - start) / 2;
	}
	return spread_bin_start(spread->low + spread->n - 1U);
}

uint64_t spread_quantile_within(const struct spread *spread, unsigned part, uint64_t min,
				uint64_t max)
{
	uint64_t value = spread_quantile(spread, part);

	return value < min ? min : value > max ? max : value;
}

void spread_done(struct spread *spread)
{
	free(spread->counts);
	memset(spread, 0, sizeof(*spread));
}
