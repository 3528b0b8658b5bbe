/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/feed.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"

DEFINE_CLEANUP(struct fathom_cursor, fathom_cursor_free);

static void count(struct feed *feed, const struct fathom_event *event)
{
	/* Where the clock of a CPU jumps back, what comes later need not be later. */
	if (!feed->n_events || event->time < feed->first)
		feed->first = event->time;
	if (event->time > feed->last)
		feed->last = event->time;
	feed->n_events++;
	if (event->missed == FATHOM_MISSED_UNKNOWN)
		feed->lost_unknown = true;
	else
		feed->lost += event->missed;
}

int feed_run(struct feed *feed, feed_taker *take, void *data, struct fathom_err *err)
{
	_cleanup_(happening_reader_done) struct happening_reader reader = { .table = feed->events,
									    .plain = feed->plain };
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int r = fathom_cursor_new(feed->trace, feed->window, &cursor, err);

	if (r < 0)
		return r;
	while ((r = fathom_cursor_next(cursor, &event)) == 1) {
		struct happening happening;

		count(feed, &event);
		if (!event.data)
			continue;
		happening_read(&reader, &event, &happening);
		if (feed->filtered >> happening.kind & 1) {
			if (!feed->wanted || feed->wanted(feed->wanted_data, &event))
				feed->n_counted++;
			else if (feed->with_unwanted)
				happening.unwanted = true;
			else
				happening.kind = HAPPENING_OTHER;
		}
		take(data, &happening);
	}
	return r < 0 || reader.nomem ? err_nomem(err) : 0;
}
