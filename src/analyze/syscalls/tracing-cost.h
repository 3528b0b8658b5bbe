/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much of the time of a command was that of tracing, by what an event and a function cost when it was recorded
 * (read/context/prices.h): at least so much.
 *
 * It was more. Functions that are deeper than those that are recorded cost time as well, and nobody counts them; a price is
 * measured in a loop, and is higher where memory is not in the caches; and the rings have to be read. Where several
 * recorded tasks run at once it is not known whose time counts for the whole, and nothing is added.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_TRACING_COST_H
#define FATHOM_ANALYZE_SYSCALLS_TRACING_COST_H

#include "analyze/stream/decoded-event.h"
#include "read/context/prices.h"

/* Zero-initialised: nothing is known. */
struct tracing_cost {
	struct prices prices; /* by the caller, with @known */
	bool known;
	int32_t *cpus; /* the recorded task that does something there; 0: none */
	size_t n_cpus, cap_cpus;
	size_t n_busy; /* of them */
	double ns;
	bool nomem;
};

/* To be fed with all events, in order of time. */
void tracing_cost_feed(struct tracing_cost *cost, const struct decoded_event *decoded);
/* Nanoseconds; 0: not known. */
uint64_t tracing_cost_least(const struct tracing_cost *cost);
void tracing_cost_done(struct tracing_cost *cost);

#endif
