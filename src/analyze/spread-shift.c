/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/spread-shift.h"

#include <math.h>

static double count_of(const struct spread *spread, unsigned bin)
{
	return bin >= spread->low && bin - spread->low < spread->n ?
		       (double)spread->counts[bin - spread->low] :
		       0;
}

struct spread_shift spread_shift(const struct spread *first, const struct spread *second)
{
	double n1 = (double)spread_total(first), n2 = (double)spread_total(second), n = n1 + n2;
	double below = 0, pairs = 0, ties = 0, variance;
	struct spread_shift shift = { .larger = 0.5 };

	if (n1 == 0 || n2 == 0)
		return shift;
	for (unsigned bin = 0; bin < SPREAD_BINS; bin++) {
		double a = count_of(first, bin), b = count_of(second, bin), t = a + b;

		pairs += b * (below + a / 2);
		below += a;
		ties += t * t * t - t;
	}
	shift.larger = pairs / (n1 * n2);
	if (n1 < SPREAD_SHIFT_LEAST || n2 < SPREAD_SHIFT_LEAST)
		return shift;
	variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
	if (variance > 0)
		shift.z = (pairs - n1 * n2 / 2) / sqrt(variance);
	return shift;
}
