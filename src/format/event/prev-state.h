/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the bits of sched_switch's prev_state mean. Kernels number them differently; the print
 * expression of the event tells the letters that ps(1) shows, too.
 */
#ifndef FATHOM_FORMAT_EVENT_PREV_STATE_H
#define FATHOM_FORMAT_EVENT_PREV_STATE_H

#include "format/event/event-format.h"

/* Bits of a task's state that may have a letter. */
#define PREV_STATE_BITS 32

struct prev_states {
	unsigned n;
	char letters[PREV_STATE_BITS]; /* by bit; all @n are there */
	uint64_t preempted; /* the task did not want to go ("R+"); 0: the kernel does not tell */
};

/* A list that the format does not tell is that of Linux 4.14 and later. */
void prev_states_read(const struct event_format *format, struct prev_states *ret_states);

#endif
