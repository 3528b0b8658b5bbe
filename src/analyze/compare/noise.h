/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which differences between runs are more than noise. The rows are what is compared (a function, a system call), each
 * with what every run says about it; how much runs differ for no reason is estimated from the runs themselves:
 *
 * - What makes a whole run slower or faster (another clock rate, a busy neighbour) is a factor, the median of all rows
 *   weighted by the root of their calls, and taken out.
 * - With at least two runs on each side, a row's change is compared with how much it differs between runs of one side. As
 *   few runs say little about that, four runs are added that differ as those of the median row.
 * - With one run on a side, it is compared with how much other rows have changed, beside what blocks of time inside of
 *   the run differ by (time-blocks.h): most rows are supposed not to have changed. Rows are unlike one another, so the tails of
 *   the former are those of Student's t with 3 degrees of freedom; those of the latter with 10.
 * - How often something was called is compared in the same way between runs if there are several, else by how many
 *   outermost calls it was in, which chance distributes evenly, or as it does interrupts and switches of tasks, or
 *   anything in between.
 * - Of many rows some differ by chance: Benjamini and Hochberg's procedure bounds the share of false ones, and no row counts
 *   that chance makes in more than one of a thousand rows.
 */
#ifndef FATHOM_ANALYZE_COMPARE_NOISE_H
#define FATHOM_ANALYZE_COMPARE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/tasks/time-blocks.h"

/* Calls on each side that it takes to compare their times. */
#define NOISE_CALLS_LEAST 16
/* Rows that it takes to tell what all have in common from what one has. */
#define NOISE_ROWS_LEAST 8

/* A row in a run. */
struct noise_cell {
	uint64_t calls;
	uint64_t outermost; /* calls that these were in, or were themselves; 0: others decide how often it is called */
	struct time_average time;
};

enum noise_time {
	NOISE_TIME_NONE, /* it is on one side only */
	NOISE_TIME_FEW, /* too few calls for an answer */
	NOISE_TIME_UNSEEN, /* no difference that the noise allows to see */
	NOISE_TIME_SLOWER,
	NOISE_TIME_FASTER,
};

enum noise_count {
	NOISE_COUNT_UNSEEN, /* the same, or no difference that the noise allows to see */
	NOISE_COUNT_MORE,
	NOISE_COUNT_FEWER,
};

struct noise_row {
	enum noise_time time;
	enum noise_count count;
	/* Of the time of a call, as logarithms of factors; all 0 for TIME_NONE and TIME_FEW. */
	double change; /* without what all rows have in common */
	double error; /* its standard error */
	double least; /* the smallest change that would have been seen */
};

struct noise {
	bool drift_known;
	double drift; /* what all rows have in common: the logarithm of a factor */
	double between; /* how much a row differs from run to run, typically: the same */
	size_t n_times, n_counts; /* rows of which times and counts could be compared */
};

/* How often something happened in all runs of a side that nobody asked for. */
struct noise_pace {
	uint64_t before, after;
};

/*
 * @cells has all runs of the first row, then of the second; of each the @n_before come first. At least one run is on either
 * side. 0 or -ENOMEM.
 */
int noise_judge(const struct noise_cell *cells, size_t n_before, size_t n_after,
		const struct noise_pace *paces, size_t n_paces, struct noise_row *rows,
		size_t n_rows, struct noise *ret_noise);

#endif
