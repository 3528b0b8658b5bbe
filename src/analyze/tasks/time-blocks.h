/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long calls took, kept apart by when they ended: what they took on average, and how well that is known although
 * calls that follow one another are alike (a cold cache, another task on the CPU, a slower clock). The time from the
 * first to the last call is cut into at most 32 windows; how much these differ says how much the average would differ
 * if all was repeated. Averages are of logarithms, so that one call in a thousand that took a thousand times as long
 * does not hide the others.
 *
 * Blocks can be added to one another. Memory is at most 768 bytes, however many calls there are.
 */
#ifndef FATHOM_ANALYZE_TASKS_TIME_BLOCKS_H
#define FATHOM_ANALYZE_TASKS_TIME_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct time_block {
	uint64_t count;
	double sum, squares; /* of the logarithms */
};

/* Zero-initialised is empty. */
struct time_blocks {
	struct time_block *list;
	size_t n, cap;
	uint64_t first; /* the number of the first window */
	unsigned shift; /* a time shifted so far is the number of its window */
};

/* What is known of the average. */
struct time_average {
	uint64_t count;
	double mean; /* of the logarithms */
	double variance; /* of @mean, if all was repeated in the same run; 0: not known */
	unsigned windows; /* of the run in which there are calls */
	double swing; /* the variance of what all calls of a window have in common; negative: not known */
};

/* From which time to which a run is, at least; zero-initialised is empty. */
struct time_range {
	bool known;
	uint64_t first, last;
};

/* 0 or -ENOMEM. */
int time_blocks_add(struct time_blocks *blocks, uint64_t time, uint64_t duration);
int time_blocks_merge(struct time_blocks *blocks, const struct time_blocks *from);
void time_blocks_done(struct time_blocks *blocks);
void time_range_add(struct time_range *range, const struct time_blocks *blocks);
/* The windows are those of the whole @run. */
struct time_average time_blocks_average(const struct time_blocks *blocks,
					const struct time_range *run);

#endif
