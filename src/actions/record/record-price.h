/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tracing costs the command that is recorded: measured in its process before it begins, untraced, with events, and
 * with functions as well. What is noted in the recording lets readers tell the tracer's time from the command's.
 */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_PRICE_H
#define FATHOM_ACTIONS_RECORD_RECORD_PRICE_H

#include "base/strbuf.h"
#include "record/command/child.h"
#include "record/plan.h"

struct record_price {
	bool wanted; /* by the caller; not any more where it cannot be known */
	struct syscall_time bare, traced, called; /* untraced, with events, with functions too */
	double events, all; /* that one system call makes, without functions and with these */
	bool knows_calls; /* what is between the two events of a system call, in nanoseconds: */
	double untraced[SYSCALL_KINDS], stamped[SYSCALL_KINDS];
};

/* In this order. Each does nothing where it is not wanted, and none fails: the price is unknown then. */
void record_price_bare(struct record_price *price, struct child *child, const struct plan *plan);
/* Events are set, and the tracers of functions wait. */
void record_price_events(struct record_price *price, struct child *child, const struct plan *plan);
/* The tracers are set. */
void record_price_calls(struct record_price *price, struct child *child, const struct plan *plan);
/* The command has ended: what was measured is not what its events cost if the machine is slower or quicker now. */
void record_price_end(struct record_price *price);
/* A line for the recording, where it is known. */
void record_price_note(const struct record_price *price, const struct plan *plan,
		       struct strbuf *info);

#endif
