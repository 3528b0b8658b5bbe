/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of tracing for the recorded command. Measured in its process before it starts: untraced,
 * with events, and with events and functions. The results are stored in the recording, so that
 * readers can separate the cost of tracing from the command's own time.
 */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_PRICE_H
#define FATHOM_ACTIONS_RECORD_RECORD_PRICE_H

#include "base/strbuf.h"
#include "record/command/child.h"
#include "record/plan.h"

struct record_price {
	bool wanted; /* set by the caller; cleared if it cannot be measured */
	struct syscall_time bare, traced, called; /* none, events, also functions */
	double events, all; /* events per system call, without functions and with them */
	bool knows_calls; /* between the two events of a system call, in nanoseconds: */
	double untraced[SYSCALL_KINDS], stamped[SYSCALL_KINDS];
};

/*
 * Call in this order. Each does nothing if no price is wanted, and none fails: the price is unknown
 * then.
 */
void record_price_bare(struct record_price *price, struct child *child, const struct plan *plan);
/* Events are enabled, function tracers are not. */
void record_price_events(struct record_price *price, struct child *child, const struct plan *plan);
/* The tracers are enabled. */
void record_price_calls(struct record_price *price, struct child *child, const struct plan *plan);
/*
 * The command has ended. If the machine has become slower or faster, the prices do not apply to it.
 */
void record_price_end(struct record_price *price);
/* Returns a line for the recording, if the price is known. */
void record_price_note(const struct record_price *price, const struct plan *plan,
		       struct strbuf *info);

#endif
