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
	uint64_t filtered; /* 1ULL << HAPPENING_CALL and so on */
	bool plain; /* all are HAPPENING_OTHER: what is inside of events does not matter */
	/* Hand those that are not to be counted on as what they are, marked as unwanted. */
	bool with_unwanted;
	bool stop; /* set by the taker: it wants no more */

	uint64_t n_events, n_counted; /* all, and those of the kinds of @filtered */
	uint64_t first, last; /* the times of the first and the last of all */
	uint64_t lost;
	bool lost_unknown; /* more were lost */
};

typedef void feed_taker(void *data, const struct happening *happening);

/* Goes over all of it. 0 or a negative errno. */
int feed_run(struct feed *feed, feed_taker *take, void *data, struct fathom_err *err);

/*
 * The same in pieces, for those who have something else to do meanwhile. @feed must outlive the feeding.
 * feed_some() reads up to @n events: 1: there are more; 0: all were read; a negative errno.
 */
struct feeding;
int feed_begin(struct feed *feed, feed_taker *take, void *data, struct feeding **ret_feeding,
	       struct fathom_err *err);
int feed_some(struct feeding *feeding, uint64_t n, struct fathom_err *err);
/* NULL is fine. */
void feed_end(struct feeding *feeding);

#endif
