/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What signals mean: their names, their default actions, and what a delivery does. Numbers are those of
 * x86, arm64 and most others; those of real-time signals are the kernel's.
 */
#ifndef FATHOM_ANALYZE_TASKS_SIGNALS_H
#define FATHOM_ANALYZE_TASKS_SIGNALS_H

#include "analyze/stream/decoded-event.h"

#define SIGNAL_NAME_SIZE 24

enum signal_action {
	SIGNAL_ACTION_UNKNOWN,
	SIGNAL_HANDLED, /* a handler of the program runs */
	SIGNAL_IGNORED,
	SIGNAL_STOPS,
	SIGNAL_TERMINATES,
	SIGNAL_DUMPS, /* terminates, with a core dump if the system is set up for it */
};

/* "SIGTERM", "SIGRTMIN+2", "signal 99". */
const char *signal_name(int32_t number, char buf[SIGNAL_NAME_SIZE]);
/* What the signal does to a program that has set nothing. */
enum signal_action signal_default_action(int32_t number);
/* What the delivery of a DECODED_SIGNAL does. */
enum signal_action signal_delivered(const struct decoded_event *decoded);
/* Did a program send it? Else the kernel did, for a fault, a timer, a terminal, the end of a child. */
bool signal_is_from_program(const struct decoded_event *decoded);

#endif
