/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Are values of one spread larger than those of another, or is the difference what chance makes?
 * The rank test of Mann and Whitney on the counts of the bins, which supposes nothing about how
 * values are spread; those in one bin are ties.
 */
#ifndef FATHOM_ANALYZE_SPREAD_SHIFT_H
#define FATHOM_ANALYZE_SPREAD_SHIFT_H

#include "analyze/spread.h"

struct spread_shift {
	double larger; /* how often a value of the second is larger than one of the first; 0.5: as often as not */
	double z; /* how far that is from chance, in standard deviations; > 0: the second is larger */
};

/* With less than this in one of them nothing is said: z is 0. */
#define SPREAD_SHIFT_LEAST 5

struct spread_shift spread_shift(const struct spread *first, const struct spread *second);

#endif
