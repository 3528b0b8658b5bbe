/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How times that things took are spread, as time goes by: counts by when (columns that become
 * twice as wide when they do not suffice) and by how long (a row for each doubling).
 */
#ifndef FATHOM_ANALYZE_SUMS_HEAT_H
#define FATHOM_ANALYZE_SUMS_HEAT_H

#include <stddef.h>
#include <stdint.h>

#define HEAT_COLUMNS 256
#define HEAT_ROWS    65 /* for 0, and for each highest bit */

/* Zero-initialised is empty. */
struct heat {
	uint64_t origin; /* where the first column begins */
	uint64_t width; /* of a column; 0: it is empty */
	size_t columns; /* up to the last that has something */
	uint32_t counts[HEAT_ROWS][HEAT_COLUMNS]; /* they stay at UINT32_MAX */
};

/* The row of a duration, and the shortest that is in it. */
unsigned heat_row(uint64_t duration);
uint64_t heat_row_start(unsigned row);

void heat_add(struct heat *heat, uint64_t time, uint64_t duration);
/* Makes columns twice as wide. */
void heat_fold(struct heat *heat);

#endif
