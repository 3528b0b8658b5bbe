/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/sums/tally.h"

#include <string.h>

int tally_add(struct tally *tally, uint64_t time, uint64_t duration)
{
	if (!tally->count || duration < tally->min)
		tally->min = duration;
	if (!tally->count || duration > tally->max) {
		tally->max = duration;
		tally->max_time = time;
	}
	tally->count++;
	tally->total += duration;
	return spread_add(&tally->spread, duration);
}

void tally_done(struct tally *tally)
{
	spread_done(&tally->spread);
	memset(tally, 0, sizeof(*tally));
}
