/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/sums/heat.h"

#include <string.h>

#define WIDTH_FIRST 1000

unsigned heat_row(uint64_t duration)
{
	return duration ? 64 - (unsigned)__builtin_clzll(duration) : 0;
}

uint64_t heat_row_start(unsigned row)
{
	return row ? (uint64_t)1 << (row - 1) : 0;
}

void heat_fold(struct heat *heat)
{
	for (unsigned row = 0; row < HEAT_ROWS; row++) {
		uint32_t *counts = heat->counts[row];

		for (size_t i = 0; i < HEAT_COLUMNS / 2; i++)
			if (__builtin_add_overflow(counts[2 * i], counts[2 * i + 1], &counts[i]))
				counts[i] = UINT32_MAX;
		memset(&counts[HEAT_COLUMNS / 2], 0, HEAT_COLUMNS / 2 * sizeof(*counts));
	}
	heat->width *= 2;
	heat->columns = (heat->columns + 1) / 2;
}

void heat_add(struct heat *heat, uint64_t time, uint64_t duration)
{
	uint32_t *count;
	size_t column;

	if (!heat->width) {
		heat->width = WIDTH_FIRST;
		heat->origin = time;
	}
	/* If the clock of a CPU jumps back, count the event in the first column. */
	if (time < heat->origin)
		time = heat->origin;
	while ((time - heat->origin) / heat->width >= HEAT_COLUMNS)
		heat_fold(heat);
	column = (size_t)((time - heat->origin) / heat->width);
	if (column >= heat->columns)
		heat->columns = column + 1;
	count = &heat->counts[heat_row(duration)][column];
	if (*count != UINT32_MAX)
		++*count;
}
