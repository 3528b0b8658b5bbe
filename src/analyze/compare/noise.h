/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decides which differences between runs exceed the noise. A row is what is compared (a function, a
 * system call), with the statistics of every run; the noise is estimated from the runs themselves:
 *
 * - What slows down a whole run (another clock rate, a busy neighbor) is a factor: the median of
 *   all rows, weighted by the square root of their calls. It is removed.
 * - With at least two runs per side, the change of a row is compared with its differences between
 *   the runs of one side. Because few runs say little about these, four runs are added that differ
 *   like those of the median row.
 * - With one run on a side, the change is compared with the changes of other rows, most of which
 *   are assumed to be noise, and with the differences between windows of time inside the run
 *   (time-blocks.h). Rows are heterogeneous: the former have the tails of Student's t with 3
 *   degrees of freedom, the latter with 10.
 * - The number of calls is compared between runs likewise if there are several; otherwise, by the
 *   number of outermost calls, which under chance splits evenly, or as interrupts and context
 *   switches do, or anything in between.
 * - Of many rows, some differ by chance: the procedure of Benjamini and Hochberg bounds the share
 *   of false ones, and a row that chance produces in more than one of 1000 cases is not reported.
 *
 * Fails only for lack of memory. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COMPARE_NOISE_H
#define FATHOM_ANALYZE_COMPARE_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/tasks/time-blocks.h"

/* Minimum number of calls per side for comparing times. */
#define NOISE_CALLS_LEAST 16
/* Minimum number of rows for determining the drift common to all. */
#define NOISE_ROWS_LEAST 8

/* A row in one run. */
struct noise_cell {
	uint64_t calls;
	/*
	 * Number of different outermost calls around these; 0: the number of calls depends on other
	 * tasks.
	 */
	uint64_t outermost;
	struct time_average time;
};

enum noise_time {
	NOISE_TIME_NONE, /* on one side only */
	NOISE_TIME_FEW, /* too few calls to decide */
	NOISE_TIME_UNSEEN, /* no difference that exceeds the noise */
	NOISE_TIME_SLOWER,
	NOISE_TIME_FASTER,
};

enum noise_count {
	NOISE_COUNT_UNSEEN, /* equal, or no difference that exceeds the noise */
	NOISE_COUNT_MORE,
	NOISE_COUNT_FEWER,
};

struct noise_row {
	enum noise_time time;
	enum noise_count count;
	/*
	 * Of the time per call, as natural logarithms of factors; all 0 for TIME_NONE and TIME_FEW.
	 */
	double change; /* without the drift common to all rows */
	double error; /* standard error of @change */
	double least; /* the smallest change that would have been reported */
};

struct noise {
	bool drift_known;
	double drift; /* common to all rows: natural logarithm of a factor */
	double between; /* typical difference of a row between runs: likewise */
	size_t n_times, n_counts; /* number of rows whose times and counts could be compared */
};

/* The frequency of an event beyond the program's control, over the runs of each side. */
struct noise_pace {
	uint64_t before, after;
};

/*
 * @cells has all runs of the first row, then of the second; of each, the @n_before first. At least
 * one run per side is required. Fills in @rows. Returns 0 or -ENOMEM.
 */
int noise_judge(const struct noise_cell *cells, size_t n_before, size_t n_after,
		const struct noise_pace *paces, size_t n_paces, struct noise_row *rows,
		size_t n_rows, struct noise *ret_noise);

#endif
