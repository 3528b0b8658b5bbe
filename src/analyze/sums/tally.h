/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of one kind, added up: how many, how long, how spread, and when the longest was. */
#ifndef FATHOM_ANALYZE_SUMS_TALLY_H
#define FATHOM_ANALYZE_SUMS_TALLY_H

#include "analyze/sums/spread.h"

/* Zero-initialised is empty. */
struct tally {
	uint64_t count, total, min, max;
	uint64_t max_time; /* when the longest began */
	uint64_t partial; /* time of parts of others, whose length is not known; not in @total */
	struct spread spread;
};

/* All of the time, with that of parts. */
static inline uint64_t tally_time(const struct tally *tally)
{
	return tally->total + tally->partial;
}

/* 0 or -ENOMEM, then the spread lacks it. */
int tally_add(struct tally *tally, uint64_t time, uint64_t duration);
void tally_done(struct tally *tally);

#endif
