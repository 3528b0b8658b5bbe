/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Goes over a trace, or a window of it, and hands what happens to an analysis.
 *
 * What is going on when a window begins is known only from what happened before. An analysis that
 * follows states can ask for that as well: events before the window are handed out marked as
 * early. They change states and are not counted, and what they began is clipped at @from. How far
 * the feed looks back is bounded, so that a small window of a large file stays quick; what is not
 * known at the start of the window after that is unknown. In the same way it can ask for what
 * happened after the window, where only that says what was going on inside of it.
 */
#ifndef FATHOM_ANALYZE_STREAM_FEED_H
#define FATHOM_ANALYZE_STREAM_FEED_H

#include <fathom/err.h>

#include "analyze/stream/decoded-event.h"

/* Events before the window that are usually looked at. */
#define FEED_EARLY_USUAL (1U << 20)
/* Events after it. */
#define FEED_LATE_USUAL (1U << 16)

struct feed {
	struct fathom_trace *trace;
	const struct fathom_window *window;
	struct event_table *events; /* of the trace */
	/* Is the event to be counted? Asked for the kinds of the bits @filtered only; NULL: all are. */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
	uint64_t filtered; /* 1ULL << DECODED_CALL and so on */
	bool plain; /* all are DECODED_OTHER: what is inside of events does not matter */
	/* Hand those that are not to be counted on as what they are, marked as unwanted. */
	bool with_unwanted;
	uint64_t max_early; /* hand out up to so many events before the window, as early ones */
	uint64_t max_late; /* and after it, as late ones */
	bool stop; /* set by the taker: it wants no more */

	/*
	 * Where spans are to be clipped: the start of the window; and its end, or that of the trace if
	 * this comes first. feed_begin() sets the first; the second is known when all was read.
	 */
	uint64_t from, to;
	bool early_more; /* there are events before those that were looked at */

	uint64_t n_late; /* that were handed out */
	bool late_more; /* there are events after those */

	/* Of the window, without early and late ones: */
	uint64_t n_events, n_counted; /* all, and those of the kinds of @filtered */
	uint64_t first, last; /* the times of the first and the last of all */
	uint64_t lost; /* see read/context/lost-events.h */
	bool lost_unknown; /* more were lost */
};

/* Hand out early and late events, as many as usual. */
static inline void feed_look_around(struct feed *feed)
{
	feed->max_early = FEED_EARLY_USUAL;
	feed->max_late = FEED_LATE_USUAL;
}

typedef void feed_taker(void *data, const struct decoded_event *decoded);

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
