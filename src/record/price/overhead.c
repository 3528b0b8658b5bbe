/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/price/overhead.h"

#include <stdlib.h>

#include "base/str.h"

#define LOOKS_OVER 2

struct overhead_cost overhead_between(const struct overhead_sums *from,
				      const struct overhead_sums *to, unsigned cpus)
{
	struct overhead_cost cost = { 0 };
	double ns = to->time_ns > from->time_ns ? (double)(to->time_ns - from->time_ns) : 0;
	double all = ns * (cpus ?: 1);

	if (!(ns > 0))
		return cost;
	if (to->own_ns > from->own_ns)
		cost.own = (double)(to->own_ns - from->own_ns) / all;
	if (cost.own > 1)
		cost.own = 1;
	/* If a ring was cleared, its counts start from zero. */
	if (to->events <= from->events || to->events_ns <= from->events_ns)
		return cost;
	cost.event_ns = (to->events_ns - from->events_ns) / (double)(to->events - from->events);
	cost.per_second = (double)(to->events - from->events) * 1e9 / ns;
	cost.events = (to->events_ns - from->events_ns) / all;
	if (cost.events > 1 - cost.own)
		cost.events = 1 - cost.own;
	return cost;
}

bool overhead_parse(const char *text, double *ret_limit)
{
	char *end;
	double percent;

	if (str_eq(text, "none")) {
		*ret_limit = 0;
		return true;
	}
	percent = strtod(text, &end);
	if (end == text || (*end && !str_eq(end, "%")) || !(percent > 0) || percent > 100)
		return false;
	*ret_limit = percent / 100;
	return true;
}

double overhead_default(bool whole_machine, bool ends, bool attended)
{
	return whole_machine && !ends && !attended ? OVERHEAD_UNATTENDED : 0;
}

bool overhead_look(struct overhead *overhead, const struct overhead_sums *now, unsigned cpus)
{
	overhead->cost = overhead_between(&overhead->last, now, cpus);
	overhead->last = *now;
	if (!(overhead->limit > 0) || overhead_share(&overhead->cost) <= overhead->limit)
		overhead->over = 0;
	else
		overhead->over++;
	return overhead->over >= LOOKS_OVER;
}
