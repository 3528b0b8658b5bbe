/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/sums/latency.h"

#include <string.h>

int latency_add(struct latency *latency, const struct instance *instance)
{
	uint64_t duration = instance->duration;
	int r;

	if (!latency->count || duration < latency->min)
		latency->min = duration;
	if (duration > latency->max)
		latency->max = duration;
	if (!latency->count || instance->start < latency->first)
		latency->first = instance->start;
	if (instance->start > latency->last)
		latency->last = instance->start;
	latency->count++;
	latency->total += duration;
	slowest_add(&latency->slowest, instance);
	r = spread_add(&latency->spread, duration);
	if (r == 0 && latency->is_linear)
		r = linear_spread_add(&latency->linear, duration);
	return r;
}

uint64_t latency_quantile(const struct latency *latency, unsigned part)
{
	return spread_quantile_within(&latency->spread, part, latency->min, latency->max);
}

void latency_done(struct latency *latency)
{
	spread_done(&latency->spread);
	linear_spread_done(&latency->linear);
	memset(latency, 0, sizeof(*latency));
}
