/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters of a report: binds them to its trace, and asks them for each event. */
#ifndef FATHOM_RENDER_REPORT_REPORT_FILTER_H
#define FATHOM_RENDER_REPORT_REPORT_FILTER_H

#include "base/arena.h"
#include "read/filter.h"
#include "render/report/report.h"

/* Zero-initialised shows all. */
struct report_filter {
	struct report *report;
	struct fathom_trace *trace;
	struct arena arena;
	struct filter_list list;
	struct filter_env env;
	unsigned hide_flags; /* events with one of these bits in common_flags are not shown */
};

void report_filter_init(struct report_filter *filter, struct report *report,
			struct fathom_trace *trace);
/* Adds a filter; with @hide what it matches is not shown. */
int report_filter_add(struct report_filter *filter, const char *text, bool hide,
		      struct fathom_err *err);
/* To be called once all are added. */
int report_filter_bind(struct report_filter *filter, struct fathom_err *err);
/* For struct report_input; @data is the struct report_filter. */
bool report_filter_wanted(void *data, const struct fathom_event *event, bool alone);
void report_filter_done(struct report_filter *filter);

#endif
