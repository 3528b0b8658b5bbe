/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All about how long one thing took, each time: how the times are spread, and which were longest. */
#ifndef FATHOM_ANALYZE_SUMS_LATENCY_H
#define FATHOM_ANALYZE_SUMS_LATENCY_H

#include <stdbool.h>

#include "analyze/sums/linear-spread.h"
#include "analyze/sums/slowest.h"
#include "analyze/sums/spread.h"

/* Zero-initialised is empty. */
struct latency {
	uint64_t count, total;
	uint64_t min, max;
	uint64_t first, last; /* when the first and the last one began */
	struct slowest slowest;
	struct spread spread;
	bool is_linear; /* set before the first one: fill @linear as well */
	struct linear_spread linear;
};

/* 0 or -ENOMEM. */
int latency_add(struct latency *latency, const struct instance *instance);
/* The time below which @part of 1000 took, about. */
uint64_t latency_quantile(const struct latency *latency, unsigned part);
void latency_done(struct latency *latency);

#endif
