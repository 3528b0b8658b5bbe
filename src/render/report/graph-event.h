/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events and functions in the format of the kernel's file `trace`, where that differs from
 * trace-cmd's: functions with their module, addresses with the size of the function, messages
 * without their place, stacks on separate lines. Private to graph.c and its parts.
 */
#ifndef FATHOM_RENDER_REPORT_GRAPH_EVENT_H
#define FATHOM_RENDER_REPORT_GRAPH_EVENT_H

#include "render/report/report-parts.h"

/*
 * Appends "name [module]", or "name+0x1/0x20 [module]" if @with_offset. Returns false if there is
 * no such symbol.
 */
bool graph_put_symbol(struct report *report, uint64_t address, bool with_offset, struct text *text);
/* Appends the contents of the comment for an event. */
void graph_put_event(struct report *report, const struct event_plan *plan,
		     struct fathom_event *event, struct text *text);
/* Appends the lines of a kernel stack. Returns false and appends nothing if @event is not one. */
bool graph_put_stack(struct report *report, const struct event_plan *plan,
		     const struct fathom_event *event, struct text *text);

#endif
