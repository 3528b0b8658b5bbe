/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many events a recording has lost. The kernel counts them for each CPU, and our recorder notes the sum in the
 * file: that is the number. What stands in the file where events are missing is less: what was lost behind the last page, and
 * what does not fit into a page, is not there.
 */
#ifndef FATHOM_READ_CONTEXT_LOST_EVENTS_H
#define FATHOM_READ_CONTEXT_LOST_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/cursor.h>
#include <fathom/trace.h>

/* What is noted; false: nothing is. */
bool lost_events_noted(const struct fathom_trace *trace, uint64_t *ret_lost);
/*
 * *@lost events, and with *@more others, were missed by reading @window. If that is all of the trace, they become what is
 * noted.
 */
void lost_events_settle(const struct fathom_trace *trace, const struct fathom_window *window,
			uint64_t *lost, bool *more);

#endif
