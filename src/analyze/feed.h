/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Goes over a trace, or a window of it, and hands what happens to an analysis. */
#ifndef FATHOM_ANALYZE_FEED_H
#define FATHOM_ANALYZE_FEED_H

#include <fathom/err.h>

#include "analyze/happening.h"

struct feed {
	struct fathom_trace *trace;
	const struct fathom_window *window;
	struct event_table *events; /* of the trace */
	/* Is the event to be counted? Asked for the kinds of the bits @filtered only; NULL: all are. */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
	unsigned filtered; /* 1 << HAPPENING_CALL and so on */
	bool plain; /* all are HAPPENING_OTHER: what is inside of events does not matter */
	/* Hand those that are not to be counted on as what they are, marked as unwanted. */
	bool with_unwanted;

	uint64_t n_events, n_counted; /* all, and those of the kinds of @filtered */
	uint64_t first, last; /* the times of the first and the last of all */
	uint64_t lost;
	bool lost_unknown; /* more were lost */
};

typedef void feed_taker(void *data, const struct happening *happening);

/* 0 or a negative errno. */
int feed_run(struct feed *feed, feed_taker *take, void *data, struct fathom_err *err);

#endif
