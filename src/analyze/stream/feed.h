/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a trace, or a window of it, through an analysis.
 *
 * The state at the start of a window depends on earlier events. An analysis that tracks states can
 * request these: they are passed marked as early. They change states, but are not counted, and
 * intervals that they begin are clipped at @from. The number of early events is bounded, so that a
 * small window of a large file stays fast; states that they do not reveal are unknown. Likewise, an
 * analysis can request late events, after the window, if only these reveal states inside it.
 *
 * Times are in ns. The caller owns @trace, @window and @events, which must stay valid until the
 * end. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_FEED_H
#define FATHOM_ANALYZE_STREAM_FEED_H

#include <fathom/err.h>

#include "analyze/stream/decoded-event.h"
#include "read/context/followed.h"

/* The default number of early events. */
#define FEED_EARLY_USUAL (1U << 20)
/* The default number of late events. */
#define FEED_LATE_USUAL (1U << 16)

struct feed {
	struct fathom_trace *trace;
	const struct fathom_window *window;
	struct event_table *events; /* of the trace */
	/* Of the trace, if the caller has read it; NULL: feed_begin() does. */
	const struct followed *followed;
	/*
	 * Returns whether to count the event. Called for the kinds in @filtered only. NULL: count
	 * all.
	 */
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
	uint64_t filtered; /* bits: 1ULL << DECODED_CALL etc. */
	bool plain; /* decode nothing: all events are DECODED_OTHER */
	/*
	 * Pass unwanted events with their kind, marked as unwanted, rather than as DECODED_OTHER.
	 */
	bool with_unwanted;
	uint64_t max_early; /* maximum number of early events */
	uint64_t max_late; /* maximum number of late events */
	bool stop; /* set by take(): read no more */

	/*
	 * Where to clip intervals: the start of the window, and the end of the window or the last
	 * event of the trace, whichever is earlier. feed_begin() sets @from; @to is final when all
	 * events are read.
	 */
	uint64_t from, to;
	bool early_more; /* there are events before the early ones */

	uint64_t n_late; /* number of late events passed */
	bool late_more; /* there are events after the late ones */

	/* Statistics of the window, without early and late events: */
	uint64_t n_events, n_counted; /* all; those of the kinds in @filtered that are wanted */
	uint64_t first, last; /* earliest and latest time */
	uint64_t lost; /* see read/context/lost-events.h */
	bool lost_unknown; /* and an unknown number more */
};

/* Requests the default number of early and late events. */
static inline void feed_look_around(struct feed *feed)
{
	feed->max_early = FEED_EARLY_USUAL;
	feed->max_late = FEED_LATE_USUAL;
}

typedef void feed_taker(void *data, const struct decoded_event *decoded);

/* Passes all events to @take. Returns 0 or a negative errno. */
int feed_run(struct feed *feed, feed_taker *take, void *data, struct fathom_err *err);

/*
 * The same in steps. feed_some() reads up to @n events; it returns 1 if there are more, 0 if all
 * were read, or a negative errno. feed_end() may be called at any time; @feed must outlive the
 * feeding.
 */
struct feeding;
int feed_begin(struct feed *feed, feed_taker *take, void *data, struct feeding **ret_feeding,
	       struct fathom_err *err);
int feed_some(struct feeding *feeding, uint64_t n, struct fathom_err *err);
/* Accepts NULL. */
void feed_end(struct feeding *feeding);

#endif
