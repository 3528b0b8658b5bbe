/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long one thing took, each time: a histogram, and the longest ones. */
#ifndef FATHOM_RENDER_TIME_LATENCY_H
#define FATHOM_RENDER_TIME_LATENCY_H

#include "analyze/sums/latency.h"
#include "read/context/tasks.h"
#include "render/kit/out.h"

struct latency_view {
	const char *kind; /* "function" */
	const char *name;
	const char *file; /* that the events are in, for the commands that are named */
	const struct tasks *tasks;
	bool raw_times; /* times are no nanoseconds */
};

/* Each: 0 or -ENOMEM. */
int latency_print(const struct latency *latency, const struct latency_view *view, struct out *out);
int latency_print_json(const struct latency *latency, const struct latency_view *view,
		       struct out *out);
/* A row of the histogram each. */
int latency_print_csv(const struct latency *latency, struct out *out);

#endif
