/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events and functions as the kernel's own file `trace` writes them, where that is not
 * the text of trace-cmd: functions with their module, addresses with the size of the
 * function, messages without their place, stacks on lines of their own.
 */
#ifndef FATHOM_RENDER_REPORT_GRAPH_EVENT_H
#define FATHOM_RENDER_REPORT_GRAPH_EVENT_H

#include "render/report/report-parts.h"

/* Appends "name [module]", or with @with_offset "name+0x1/0x20 [module]". False: no such symbol. */
bool graph_put_symbol(struct report *report, uint64_t address, bool with_offset, struct text *text);
/* Appends what stands in the comment for the event. */
void graph_put_event(struct report *report, const struct event_plan *plan,
		     struct fathom_event *event, struct text *text);
/* Appends the lines of a kernel's stack. False: @event is none, and nothing was written. */
bool graph_put_stack(struct report *report, const struct event_plan *plan,
		     const struct fathom_event *event, struct text *text);

#endif
