/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the latencies of one function, event pair or system call: a histogram, and the longest
 * ones. Durations are in nanoseconds.
 */
#ifndef FATHOM_RENDER_TIME_LATENCY_H
#define FATHOM_RENDER_TIME_LATENCY_H

#include "analyze/sums/latency.h"
#include "read/context/tasks.h"
#include "render/kit/out.h"

struct latency_view {
	const char *kind; /* such as "function" */
	const char *name;
	const char *file; /* the recording, for suggested commands */
	const struct tasks *tasks;
	bool raw_times; /* timestamps are not in nanoseconds */
};

/* All return 0 or -ENOMEM. Write errors are left to out_finish(). */
int latency_print(const struct latency *latency, const struct latency_view *view, struct out *out);
int latency_print_json(const struct latency *latency, const struct latency_view *view,
		       struct out *out);
/* Prints a row for each range of the histogram. */
int latency_print_csv(const struct latency *latency, struct out *out);

#endif
