/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations of calls in blocks by time, for an average and its uncertainty although consecutive
 * calls are correlated (a cold cache, another task on the CPU, a slower clock). The time from the
 * first to the last call is divided into at most 32 windows, whose variance indicates how much the
 * average would differ in another run. Averages are of logarithms, so that one call in a thousand
 * that takes a thousand times as long does not hide the others.
 *
 * Times and durations are in ns. Uses at most 768 bytes of heap, regardless of the number of calls;
 * time_blocks_done() frees them. Not thread-safe.
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

/* Empty when zero-initialized. */
struct time_blocks {
	struct time_block *list;
	size_t n, cap;
	uint64_t first; /* number of the first window */
	unsigned shift; /* time >> @shift is the number of a window */
};

/* An average and its uncertainty. */
struct time_average {
	uint64_t count;
	double mean; /* of the logarithms */
	double variance; /* of @mean, over repetitions in the same run; 0 if unknown */
	unsigned windows; /* number of windows of the run with calls */
	double swing; /* variance common to all calls of a window; negative if unknown */
};

/* The smallest known range of a run. Empty when zero-initialized. */
struct time_range {
	bool known;
	uint64_t first, last;
};

/* Both return 0, or -ENOMEM with no calls added. */
int time_blocks_add(struct time_blocks *blocks, uint64_t time, uint64_t duration);
int time_blocks_merge(struct time_blocks *blocks, const struct time_blocks *from);
void time_blocks_done(struct time_blocks *blocks);
void time_range_add(struct time_range *range, const struct time_blocks *blocks);
/* Divides the whole @run into windows, which may be longer than the range of @blocks. */
struct time_average time_blocks_average(const struct time_blocks *blocks,
					const struct time_range *run);

#endif
