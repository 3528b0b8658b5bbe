/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An account of the calls of a trace, or of a window of it. */
#ifndef FATHOM_ANALYZE_CALLS_RUN_H
#define FATHOM_ANALYZE_CALLS_RUN_H

#include <fathom/err.h>

#include "analyze/calls.h"

struct calls_run {
	struct fathom_trace *trace;
	const struct fathom_window *window;
	struct event_table *events; /* of the trace */
	struct calls_options options;
	/* Is the call to be counted? NULL: all are. Other events are always looked at. */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;

	uint64_t n_events, n_calls, lost; /* what there was */
	bool lost_unknown; /* more were lost */
};

/* The calls go to @ret_calls, unfinished. 0 or a negative errno. */
int calls_run(struct calls_run *run, struct calls **ret_calls, struct fathom_err *err);

#endif
