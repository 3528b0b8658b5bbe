/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The number of events that a recording lost. The kernel counts them per CPU, and the recorder
 * notes the sum in the file, which is the exact number. The losses reported by pages are fewer:
 * those after the last page, or that a page has no room for, are missing.
 */
#ifndef FATHOM_READ_CONTEXT_LOST_EVENTS_H
#define FATHOM_READ_CONTEXT_LOST_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/cursor.h>
#include <fathom/trace.h>

/* Returns the number noted. False: none is. */
bool lost_events_noted(const struct fathom_trace *trace, uint64_t *ret_lost);
/*
 * Reading @window, *@lost events were found to be lost, and an unknown number if *@more. If the
 * window is the whole trace, replaces these by the number noted, if it is larger.
 */
void lost_events_settle(const struct fathom_trace *trace, const struct fathom_window *window,
			uint64_t *lost, bool *more);

#endif
