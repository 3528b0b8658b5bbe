/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bits of sched_switch's prev_state. Their numbering differs between kernels; the print
 * expression of the event has the letters that ps(1) shows.
 */
#ifndef FATHOM_FORMAT_EVENT_PREV_STATE_H
#define FATHOM_FORMAT_EVENT_PREV_STATE_H

#include "format/event/event-format.h"

/* Bits of a task's state that can have a letter. */
#define PREV_STATE_BITS 32

struct prev_states {
	unsigned n;
	char letters[PREV_STATE_BITS]; /* by bit; all @n are set */
	/* the flag of a preempted task ("R+"); 0: this kernel does not record it */
	uint64_t preempted;
};

/*
 * Reads the list from the print expression. Without one there, uses that of Linux 4.14 and later.
 */
void prev_states_read(const struct event_format *format, struct prev_states *ret_states);

#endif
