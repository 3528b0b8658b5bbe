/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/feed.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/event-stream.h"
#include "base/err.h"
#include "base/mem.h"

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

struct feeding {
	struct feed *feed;
	struct event_stream stream;
	struct fathom_cursor *cursor;
	feed_taker *take;
	void *data;
};

static void hand_on_wanted(void *data, const struct happening *happening)
{
	struct feeding *feeding = data;
	struct feed *feed = feeding->feed;
	struct happening unwanted;

	if (feed->filtered >> happening->kind & 1) {
		if (!feed->wanted || feed->wanted(feed->wanted_data, happening->event)) {
			feed->n_counted++;
		} else {
			unwanted = *happening;
			unwanted.unwanted = feed->with_unwanted;
			if (!feed->with_unwanted)
				unwanted.kind = HAPPENING_OTHER;
			happening = &unwanted;
		}
	}
	feeding->take(feeding->data, happening);
	feeding->stream.stop = feed->stop;
}

void feed_end(struct feeding *feeding)
{
	if (!feeding)
		return;
	fathom_cursor_free(feeding->cursor);
	event_stream_done(&feeding->stream);
	free(feeding);
}

int feed_begin(struct feed *feed, feed_taker *take, void *data, struct feeding **ret_feeding,
	       struct fathom_err *err)
{
	struct feeding *feeding = mem_zalloc(1, sizeof(*feeding));
	int r;

	if (!feeding)
		return err_nomem(err);
	*feeding = (struct feeding){ .feed = feed, .take = take, .data = data };
	event_stream_init(&feeding->stream, feed->events, feed->plain, hand_on_wanted, feeding);
	r = fathom_cursor_new(feed->trace, feed->window, &feeding->cursor, err);
	if (r < 0) {
		feed_end(feeding);
		return r;
	}
	*ret_feeding = feeding;
	return 0;
}

int feed_some(struct feeding *feeding, uint64_t n, struct fathom_err *err)
{
	struct feed *feed = feeding->feed;
	struct fathom_event event;
	int r = 1;

	for (; n && !feed->stop && (r = fathom_cursor_next(feeding->cursor, &event)) == 1; n--) {
		count(feed, &event);
		if (event.data)
			event_stream_put(&feeding->stream, &event);
	}
	if (r == 1 && !feed->stop)
		return 1;
	return event_stream_end(&feeding->stream) < 0 || r < 0 ? err_nomem(err) : 0;
}

int feed_run(struct feed *feed, feed_taker *take, void *data, struct fathom_err *err)
{
	struct feeding *feeding;
	int r = feed_begin(feed, take, data, &feeding, err);

	if (r < 0)
		return r;
	r = feed_some(feeding, UINT64_MAX, err);
	feed_end(feeding);
	return r;
}
