/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/sums/linear-spread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SMALL	1000U /* values with a bin each */
#define DECADE	900U /* bins for values with the same number of digits: their first three */
#define DECADES 17U /* a value has at most 20 digits */
#define BINS	(SMALL + DECADES * DECADE)

/* Returns the width of the bin of a value. */
static uint64_t unit_of(uint64_t value)
{
	uint64_t unit = 1;

	for (; value >= SMALL; value /= 10)
		unit *= 10;
	return unit;
}

static unsigned bin_of(uint64_t value)
{
	unsigned decade = 0;

	for (; value >= SMALL; value /= 10)
		decade++;
	return decade ? SMALL + (decade - 1) * DECADE + (unsigned)value - SMALL / 10 :
			(unsigned)value;
}

static uint64_t bin_start(unsigned bin)
{
	uint64_t value;

	if (bin < SMALL)
		return bin;
	value = SMALL / 10 + (bin - SMALL) % DECADE;
	for (unsigned decade = (bin - SMALL) / DECADE + 1; decade; decade--)
		if (__builtin_mul_overflow(value, (uint64_t)10, &value))
			return UINT64_MAX;
	return value;
}

int linear_spread_add(struct linear_spread *spread, uint64_t value)
{
	if (!spread->counts) {
		spread->counts = mem_zalloc(BINS, sizeof(*spread->counts));
		if (!spread->counts)
			return -ENOMEM;
	}
	if (!spread->n || value < spread->min)
		spread->min = value;
	if (value > spread->max)
		spread->max = value;
	spread->n++;
	spread->counts[bin_of(value)]++;
	return 0;
}

/* Returns the next of 1, 2, 5, 10, 20 ..., or 0 after the last one. */
static uint64_t next_width(uint64_t width)
{
	uint64_t first = width, next;

	while (first >= 10)
		first /= 10;
	if (__builtin_mul_overflow(width / (first == 2 ? 2 : 1), first == 2 ? 5U : 2U, &next))
		return 0;
	return next;
}

/* Returns whether rows of this width can be counted exactly and are few enough. */
static bool linear_spread_fits(uint64_t width, uint64_t min, uint64_t top)
{
	uint64_t end;

	if (top / width - min / width >= LINEAR_ROWS)
		return false;
	if (__builtin_mul_overflow(top / width + 1, width, &end))
		end = UINT64_MAX;
	return unit_of(end) <= width;
}

size_t linear_spread_rows(const struct linear_spread *spread, uint64_t top,
			  struct linear_row ret_rows[LINEAR_ROWS + 1])
{
	uint64_t width = 1, from;
	size_t n = 0;

	if (!spread->n)
		return 0;
	if (top > spread->max)
		top = spread->max;
	if (top < spread->min)
		top = spread->min;
	for (uint64_t next; !linear_spread_fits(width, spread->min, top); width = next) {
		next = next_width(width);
		if (!next)
			break;
	}
	from = spread->min / width * width;
	for (bool last = false; !last && n < LINEAR_ROWS; n++) {
		struct linear_row *row = &ret_rows[n];

		*row = (struct linear_row){ .from = from };
		if (__builtin_add_overflow(from, width, &row->to))
			row->to = UINT64_MAX;
		last = row->to > top || row->to == UINT64_MAX;
		from = row->to;
	}
	if (from <= spread->max && from != UINT64_MAX)
		ret_rows[n++] =
			(struct linear_row){ .from = from,
					     .to = spread->max + (spread->max < UINT64_MAX) };
	for (unsigned bin = 0, row = 0; bin < BINS; bin++) {
		if (!spread->counts[bin])
			continue;
		while (row + 1 < n && bin_start(bin) >= ret_rows[row].to)
			row++;
		ret_rows[row].count += spread->counts[bin];
	}
	return n;
}

void linear_spread_done(struct linear_spread *spread)
{
	free(spread->counts);
	memset(spread, 0, sizeof(*spread));
}
