/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statistics of durations: totals, distribution and the longest instances. Times are in ns.
 * latency_done() frees the memory and leaves an empty object.
 */
#ifndef FATHOM_ANALYZE_SUMS_LATENCY_H
#define FATHOM_ANALYZE_SUMS_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/sums/linear-spread.h"
#include "analyze/sums/slowest.h"
#include "analyze/sums/spread.h"

/* Empty when zero-initialized. */
struct latency {
	uint64_t count, total;
	uint64_t min, max;
	uint64_t first, last; /* earliest and latest start */
	struct slowest slowest;
	struct spread spread;
	bool is_linear; /* set before the first latency_add(): fill @linear as well */
	struct linear_spread linear;
};

/* Returns 0, or -ENOMEM, in which case a distribution lacks this instance. */
int latency_add(struct latency *latency, const struct instance *instance);
/*
 * Returns the @part/1000 quantile: exact to within 7 %, never outside @min and @max; 0 if empty.
 */
uint64_t latency_quantile(const struct latency *latency, unsigned part);
void latency_done(struct latency *latency);

#endif
