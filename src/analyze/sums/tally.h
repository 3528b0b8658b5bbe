/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums durations of one kind: count, total, distribution, and the start of the longest. Times are
 * in ns. tally_done() frees the memory and leaves an empty object.
 */
#ifndef FATHOM_ANALYZE_SUMS_TALLY_H
#define FATHOM_ANALYZE_SUMS_TALLY_H

#include <stdint.h>

#include "analyze/sums/spread.h"

/* Empty when zero-initialized. */
struct tally {
	uint64_t count, total, min, max;
	uint64_t max_time; /* start of the longest */
	uint64_t partial; /* time of intervals of unknown total length; not in @total */
	struct spread spread;
};

/* Returns the total with that of partial intervals. */
static inline uint64_t tally_time(const struct tally *tally)
{
	return tally->total + tally->partial;
}

/* Returns 0, or -ENOMEM, in which case only the distribution lacks this duration. */
int tally_add(struct tally *tally, uint64_t time, uint64_t duration);
void tally_done(struct tally *tally);

#endif
