/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signals: names, default actions and the effect of a delivery. The numbers are those of x86, arm64
 * and most other architectures; real-time signals are numbered as in the kernel.
 */
#ifndef FATHOM_ANALYZE_TASKS_SIGNALS_H
#define FATHOM_ANALYZE_TASKS_SIGNALS_H

#include "analyze/stream/decoded-event.h"

#define SIGNAL_NAME_SIZE 24

enum signal_action {
	SIGNAL_ACTION_UNKNOWN,
	SIGNAL_HANDLED, /* runs a handler */
	SIGNAL_IGNORED,
	SIGNAL_STOPS,
	SIGNAL_TERMINATES,
	SIGNAL_DUMPS, /* terminates; dumps core if the system is configured to */
};

/* Returns "SIGTERM", "SIGRTMIN+2" or "signal 99". The string is in @buf. */
const char *signal_name(int32_t number, char buf[SIGNAL_NAME_SIZE]);
/* Returns what the signal does by default. */
enum signal_action signal_default_action(int32_t number);
/* Returns what the delivery of a DECODED_SIGNAL does. */
enum signal_action signal_delivered(const struct decoded_event *decoded);
/*
 * Returns whether a program sent the signal, rather than the kernel for a fault, a timer, a
 * terminal or a child. @signal.code must be known.
 */
bool signal_is_from_program(const struct decoded_event *decoded);

#endif
