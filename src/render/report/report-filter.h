/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filters of a report. They are added, bound to the trace, and then evaluated for each event. A
 * filter refers to its report and trace, which must outlive it. Not thread-safe.
 */
#ifndef FATHOM_RENDER_REPORT_REPORT_FILTER_H
#define FATHOM_RENDER_REPORT_REPORT_FILTER_H

#include "base/arena.h"
#include "read/filter.h"
#include "render/report/report.h"

/* Zero-initialized shows all events. Must not be moved once initialized. */
struct report_filter {
	struct report *report;
	struct fathom_trace *trace;
	struct arena arena;
	struct filter_list list;
	struct filter_env env;
	unsigned hide_flags; /* hide events with any of these bits in common_flags */
};

void report_filter_init(struct report_filter *filter, struct report *report,
			struct fathom_trace *trace);
/*
 * Adds a filter; with @hide, the events that match are hidden. @text need not outlive the call.
 * Returns 0 or a negative errno.
 */
int report_filter_add(struct report_filter *filter, const char *text, bool hide,
		      struct fathom_err *err);
/*
 * Binds all filters to the events of the trace. Call once, after the last one was added. Returns 0
 * or a negative errno.
 */
int report_filter_bind(struct report_filter *filter, struct fathom_err *err);
/* For struct report_input; @data is the struct report_filter. */
bool report_filter_wanted(void *data, const struct fathom_event *event, bool alone);
void report_filter_done(struct report_filter *filter);

#endif
