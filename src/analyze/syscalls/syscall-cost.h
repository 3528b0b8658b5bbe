/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time that tracing adds between the entry and the exit event of a system call, from the costs
 * that the recorder measured (read/context/prices.h). Each event of the task during the call adds
 * its own cost. Events of other tasks are not counted: while the task waits for another one, it is
 * unknown how much sooner the other would have finished without tracing. Times are in ns. Allocates
 * nothing. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALL_COST_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALL_COST_H

#include "analyze/stream/feed.h"
#include "analyze/stream/decoded-event.h"
#include "read/context/prices.h"

/* Zero-initialized: unknown. */
struct syscall_cost {
	struct prices prices;
	bool known; /* until an event has no known cost, or events are lost */
};

/* Call before the first event. */
void syscall_cost_begin(struct syscall_cost *cost, const struct feed *feed);
/*
 * Returns the cost of an event, to be added to the current call of its task. That of the entry and
 * exit events together is prices.syscall_ns.
 */
double syscall_cost_of(struct syscall_cost *cost, const struct decoded_event *decoded);
/*
 * Returns the duration without tracing of a call that took @total, including @off off the CPU, and
 * to which events added @ns. If tracing accounts for nearly all of the time, the duration is too
 * inaccurate: *@ret_below is then set, and the result is an upper bound.
 */
uint64_t syscall_cost_take_off(uint64_t total, uint64_t off, double ns, bool *ret_below);

#endif
