/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A heat map: counts of durations by start time and by length. There is a row for each power of
 * two; columns start 1 us wide and double in width whenever time runs past the last one. Times and
 * durations are in ns. Fixed size (65 KB): allocates nothing and cannot fail.
 */
#ifndef FATHOM_ANALYZE_SUMS_HEAT_H
#define FATHOM_ANALYZE_SUMS_HEAT_H

#include <stddef.h>
#include <stdint.h>

#define HEAT_COLUMNS 256
#define HEAT_ROWS    65 /* 0, and one per highest bit */

/* Empty when zero-initialized. */
struct heat {
	uint64_t origin; /* start of the first column */
	uint64_t width; /* of a column; 0 if empty */
	size_t columns; /* up to the last non-empty one */
	uint32_t counts[HEAT_ROWS][HEAT_COLUMNS]; /* saturate at UINT32_MAX */
};

/* Return the row of a duration, and the shortest duration in a row. */
unsigned heat_row(uint64_t duration);
uint64_t heat_row_start(unsigned row);

void heat_add(struct heat *heat, uint64_t time, uint64_t duration);
/* Halves the number of columns by doubling their width. */
void heat_fold(struct heat *heat);

#endif
