/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A lower bound of the time that tracing added to a command, from the cost of an event and a
 * function as measured during the recording (read/context/prices.h).
 *
 * The actual cost is higher. Functions below the recorded depth also cost time, but are not
 * counted; costs are measured in a loop, and are higher with cold caches; and the ring buffers must
 * be read. While several recorded tasks run at once, it is unknown whose time matters, so nothing
 * is added. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_TRACING_COST_H
#define FATHOM_ANALYZE_SYSCALLS_TRACING_COST_H

#include "analyze/stream/decoded-event.h"
#include "read/context/prices.h"

/* Zero-initialized: unknown. */
struct tracing_cost {
	struct prices prices; /* set by the caller, with @known */
	bool known;
	int32_t *cpus; /* the recorded task that runs there; 0: none */
	size_t n_cpus, cap_cpus;
	size_t n_busy; /* number of CPUs that run one */
	double ns;
	bool nomem;
};

/* Call for every event, in chronological order. */
void tracing_cost_feed(struct tracing_cost *cost, const struct decoded_event *decoded);
/* Returns the lower bound in ns; 0: unknown. */
uint64_t tracing_cost_least(const struct tracing_cost *cost);
void tracing_cost_done(struct tracing_cost *cost);

#endif
