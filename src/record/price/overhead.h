/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a recording costs the machine, and whether that is more than it may. Two parts: the events, each at
 * an estimated price, also those that were lost; and the CPU time of our own processes, which is
 * measured. Both are shares of the time of all CPUs.
 */
#ifndef FATHOM_RECORD_PRICE_OVERHEAD_H
#define FATHOM_RECORD_PRICE_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

/* More than this is not started without a question, for function tracers of the whole machine. */
#define OVERHEAD_ASK 0.5
/* The limit of recordings that run on their own. */
#define OVERHEAD_UNATTENDED 0.25

/* Sums since some moment. */
struct overhead_sums {
	uint64_t time_ns;
	uint64_t events;
	double events_ns; /* their price */
	uint64_t own_ns; /* CPU time */
};

/* Shares of all CPUs, 1 is all of their time. */
struct overhead_cost {
	double events, own;
	double per_second; /* events */
	double event_ns; /* the price of one, on average */
};

struct overhead {
	double limit; /* as a share; 0: none */
	struct overhead_sums last;
	struct overhead_cost cost; /* between the last two looks */
	unsigned over; /* looks in a row that were above the limit */
};

/* What was spent from @from to @to. An estimate can be above all that there is: it is cut there. */
struct overhead_cost overhead_between(const struct overhead_sums *from,
				      const struct overhead_sums *to, unsigned cpus);
static inline double overhead_share(const struct overhead_cost *cost)
{
	return cost->events + cost->own;
}

/*
 * A limit such as "10%", or "none" (0). False when it is neither.
 */
bool overhead_parse(const char *text, double *ret_limit);
/*
 * The limit where none was given: a recording of the whole machine that has no end of its own (@ends: a
 * command, a time, a size) and that nobody sits at. 0: none.
 */
double overhead_default(bool whole_machine, bool ends, bool attended);
/* Is it time to stop? A single look above the limit does not count: machines have peaks. */
bool overhead_look(struct overhead *overhead, const struct overhead_sums *now, unsigned cpus);

#endif
