/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/feed.h"

#include <stdlib.h>

#include "analyze/stream/event-stream.h"
#include "base/err.h"
#include "base/mem.h"
#include "read/context/followed.h"
#include "read/context/lost-events.h"
#include "read/cursor.h"
#include "read/trace.h"

static bool feed_is_early(const struct feed *feed, const struct fathom_event *event)
{
	return feed->max_early && event->time < feed->from;
}

static bool feed_is_late(const struct feed *feed, const struct fathom_event *event)
{
	return feed->max_late && feed->window && event->time > feed->window->to;
}

static void stream_feed_count(struct feed *feed, const struct fathom_event *event)
{
	if (feed_is_late(feed, event)) {
		feed->to = feed->window->to;
		feed->n_late++;
		return;
	}
	if (event->time > feed->to)
		feed->to = event->time;
	if (feed_is_early(feed, event))
		return;
	/* If the clock of a CPU jumps back, later events can have earlier times. */
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
	const struct followed *followed;
	struct followed own_followed; /* if the caller has not read it */
};

/*
 * The recorder is excluded from recordings, except from events of which it causes few. Of these,
 * its system calls are skipped.
 */
static bool feed_is_of_recorder(const struct feeding *feeding, const struct decoded_event *decoded)
{
	return (decoded->kind == DECODED_SYSCALL_ENTRY || decoded->kind == DECODED_SYSCALL_EXIT) &&
	       followed_leaves_out(feeding->followed, decoded->event->pid);
}

static void hand_on_wanted(void *data, const struct decoded_event *decoded)
{
	struct feeding *feeding = data;
	struct feed *feed = feeding->feed;
	bool early = feed_is_early(feed, decoded->event), late = feed_is_late(feed, decoded->event);
	struct decoded_event changed;

	if (early || late) {
		changed = *decoded;
		changed.early = early;
		changed.late = late;
		decoded = &changed;
	}
	if (feed_is_of_recorder(feeding, decoded)) {
		changed = *decoded;
		changed.kind = DECODED_OTHER;
		decoded = &changed;
	}
	if (feed->filtered >> decoded->kind & 1) {
		if (!feed->wanted || feed->wanted(feed->wanted_data, decoded->event)) {
			feed->n_counted += !early && !late;
		} else {
			changed = *decoded;
			changed.unwanted = feed->with_unwanted;
			if (!feed->with_unwanted)
				changed.kind = DECODED_OTHER;
			decoded = &changed;
		}
	}
	feeding->take(feeding->data, decoded);
	feeding->stream.stop = feed->stop;
}

void feed_end(struct feeding *feeding)
{
	if (!feeding)
		return;
	fathom_cursor_free(feeding->cursor);
	followed_done(&feeding->own_followed);
	event_stream_done(&feeding->stream);
	free(feeding);
}

/* Opens a cursor at the first event to pass: an early one, or the first of the window. */
static int open_cursor(struct feeding *feeding, struct fathom_err *err)
{
	struct feed *feed = feeding->feed;
	struct fathom_window window = FATHOM_WINDOW_ALL;
	struct fathom_event event;
	int r;

	if (feed->window)
		window = *feed->window;
	if (feed->max_early)
		window.from = 0;
	if (feed->max_late)
		window.to = UINT64_MAX;
	r = fathom_cursor_new(feed->trace, &window, &feeding->cursor, err);
	if (r < 0 || window.from == feed->from)
		return r;
	r = fathom_cursor_seek(feeding->cursor, feed->from);
	for (uint64_t n = 0; r >= 0; n++) {
		r = fathom_cursor_prev(feeding->cursor, &event);
		if (r <= 0)
			break;
		if (n == feed->max_early) {
			feed->early_more = true;
			r = fathom_cursor_next(feeding->cursor, &event);
			break;
		}
	}
	return r < 0 ? err_nomem(err) : 0;
}

int feed_begin(struct feed *feed, feed_taker *take, void *data, struct feeding **ret_feeding,
	       struct fathom_err *err)
{
	struct feeding *feeding = mem_zalloc(1, sizeof(*feeding));
	int r = 0;

	if (!feeding)
		return err_nomem(err);
	*feeding = (struct feeding){ .feed = feed, .take = take, .data = data };
	event_stream_init(&feeding->stream, feed->events, feed->plain, hand_on_wanted, feeding);
	feed->from = feed->window ? feed->window->from : 0;
	feed->to = 0;
	feeding->followed = feed->followed ?: &feeding->own_followed;
	if (!feed->followed)
		r = followed_read(feed->trace, &feeding->own_followed);
	if (r < 0)
		err_nomem(err);
	else
		r = open_cursor(feeding, err);
	if (r < 0) {
		feed_end(feeding);
		return r;
	}
	*ret_feeding = feeding;
	return 0;
}

/* If the trace continues after the window, open intervals last until the end of the window. */
static int feed_find_end(struct feed *feed, struct fathom_err *err)
{
	struct fathom_window rest = FATHOM_WINDOW_ALL;
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int r;

	if (feed->stop || feed->n_late || !feed->window || feed->window->to == UINT64_MAX)
		return 0;
	rest.from = feed->window->to + 1;
	r = fathom_cursor_new(feed->trace, &rest, &cursor, err);
	if (r < 0)
		return r;
	r = fathom_cursor_next(cursor, &event);
	if (r == 1)
		feed->to = feed->window->to;
	return r < 0 ? err_nomem(err) : 0;
}

int feed_some(struct feeding *feeding, uint64_t n, struct fathom_err *err)
{
	const struct fathom_window all = FATHOM_WINDOW_ALL;
	struct feed *feed = feeding->feed;
	struct fathom_event event;
	int r = 1;

	for (; n && !feed->stop && (r = fathom_cursor_next(feeding->cursor, &event)) == 1; n--) {
		if (feed_is_late(feed, &event) && feed->n_late == feed->max_late) {
			feed->late_more = true;
			r = 0;
			break;
		}
		stream_feed_count(feed, &event);
		if (event.data)
			event_stream_put(&feeding->stream, &event);
	}
	if (r == 1 && !feed->stop)
		return 1;
	if (event_stream_end(&feeding->stream) < 0 || r < 0)
		return err_nomem(err);
	if (!feed->stop && !feed->trace->is_cut)
		lost_events_settle(feed->trace, feed->window ?: &all, &feed->lost,
				   &feed->lost_unknown);
	return feed_find_end(feed, err);
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
