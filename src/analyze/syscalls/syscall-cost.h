/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tracing adds to the time between the two events of a system call, by the prices that the recorder measured
 * (read/context/prices.h). Each event that the task makes in the call adds its own. Those of others do not count: while the task
 * waits for another one it is not known how much sooner that would have been ready without tracing.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALL_COST_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALL_COST_H

#include "analyze/stream/feed.h"
#include "analyze/stream/decoded-event.h"
#include "read/context/prices.h"

/* Zero-initialised: nothing is known. */
struct syscall_cost {
	struct prices prices;
	bool known; /* until something comes that has no price, or events were lost */
};

/* To be called before the first event. */
void syscall_cost_begin(struct syscall_cost *cost, const struct feed *feed);
/* What it adds to the call that its task is in; nanoseconds. Of the events of the call itself see prices.syscall_ns. */
double syscall_cost_of(struct syscall_cost *cost, const struct decoded_event *decoded);
/*
 * A call took @total, @off of it away from a CPU, and events added @ns: how long it would have taken untraced. Where tracing
 * took nearly all of the time that cannot be known so exactly: then *@ret_below is set, and it is less than what is returned.
 */
uint64_t syscall_cost_take_off(uint64_t total, uint64_t off, double ns, bool *ret_below);

#endif
