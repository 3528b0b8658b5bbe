/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The overhead of a recording, and whether it exceeds its limit. It has two parts: events, at an
 * estimated price each, including lost ones; and the measured CPU time of fathom's processes. Both
 * are shares of the time of all CPUs. Times are in nanoseconds.
 */
#ifndef FATHOM_RECORD_PRICE_OVERHEAD_H
#define FATHOM_RECORD_PRICE_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * System-wide function tracing that is estimated to cost more than this is not started without
 * asking.
 */
#define OVERHEAD_ASK 0.5
/* The default limit of unattended recordings. */
#define OVERHEAD_UNATTENDED 0.25

/* Sums since an arbitrary start. */
struct overhead_sums {
	uint64_t time_ns;
	uint64_t events;
	double events_ns; /* their total price */
	uint64_t own_ns; /* CPU time of our processes */
};

/* Shares of the time of all CPUs; 1 is all of it. */
struct overhead_cost {
	double events, own;
	double per_second; /* events per second */
	double event_ns; /* average price of an event */
};

/* Zero-initialized, with @limit set, is a valid start. */
struct overhead {
	double limit; /* a share; 0: none */
	struct overhead_sums last;
	struct overhead_cost cost; /* between the last two calls of overhead_look() */
	unsigned over; /* consecutive calls that found the limit exceeded */
};

/*
 * Returns the overhead between two points in time. The share of events is an estimate, and limited
 * so that the sum is at most 1.
 */
struct overhead_cost overhead_between(const struct overhead_sums *from,
				      const struct overhead_sums *to, unsigned cpus);
static inline double overhead_share(const struct overhead_cost *cost)
{
	return cost->events + cost->own;
}

/* Parses a limit such as "10%", or "none" (0). Returns false if @text is neither. */
bool overhead_parse(const char *text, double *ret_limit);
/*
 * Returns the default limit, or 0 for none: only system-wide recordings are limited that nothing
 * ends (a command, a duration or a size) and that are unattended.
 */
double overhead_default(bool whole_machine, bool ends, bool attended);
/* Returns whether the recording has to stop. Exceeding the limit once, in a peak, is not enough. */
bool overhead_look(struct overhead *overhead, const struct overhead_sums *now, unsigned cpus);

#endif
