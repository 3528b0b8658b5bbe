/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The price of an event of a buffer, before and while it is recorded. The table of docs/cost.md says how
 * the kinds compare to an untraced system call; how long that takes on this machine is measured. The
 * product is an estimate, and whoever shows it says so.
 */
#ifndef FATHOM_RECORD_PLAN_EVENT_PRICE_H
#define FATHOM_RECORD_PLAN_EVENT_PRICE_H

#include <stdbool.h>

#include "record/plan/plan.h"
#include "record/price/probe-cost.h"

/*
 * How much slower this machine is than that of the table (below 1: quicker), by the time of a system call. Takes some
 * milliseconds; to be called before functions are traced, which makes system calls slower.
 */
double event_price_scale(void);
/* The same where that time is known: untraced. */
double event_price_scale_of(double syscall_ns);
/*
 * That time, for who shows it: the shortest of some measurements, which others on the CPU disturb less. Takes less than
 * 100 milliseconds.
 */
double event_price_syscall_ns(void);
/*
 * Nanoseconds of an event of @buffer, in those of the table: that of the dearest kind in it, as the rings
 * do not count kinds. What stacks cost that come with events is not in it.
 */
double event_price_ns(const struct plan *plan, const struct plan_buffer *buffer);
/* What a plan records that has a price: kinds of events, calls and probes. Tracers of latencies have none. */
void event_price_kinds(const struct plan *plan, bool ret_kinds[PROBE_COST_KINDS]);

#endif
