/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cursor that can show the next event of the same buffer, because the text of some events depends
 * on it (a call without nested calls is printed on one line). An event that was peeked at can be
 * taken, and is then not delivered. Not thread-safe.
 */
#ifndef FATHOM_READ_LOOKAHEAD_H
#define FATHOM_READ_LOOKAHEAD_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/cursor.h>

/* With several buffers, each has a second cursor that runs ahead. */
struct lookahead_buffer {
	struct fathom_cursor *ahead; /* after the last event delivered; NULL: not needed yet */
	uint64_t time; /* of the last event delivered */
	uint64_t same; /* number of events delivered with that time */
	bool peeked; /* @ahead has delivered one more event */
	bool taken; /* don't deliver the next event */
};

struct lookahead {
	struct fathom_trace *trace;
	struct fathom_window window;
	struct fathom_cursor *cursor;
	struct fathom_event pending; /* with one buffer: the event peeked at */
	bool has_pending;
	uint8_t *copy; /* of the current event's data, because the cursor has moved on */
	size_t cap_copy;
	struct lookahead_buffer *buffers; /* NULL: there is only one buffer */
	size_t n_buffers;
};

/*
 * Iterates over @window (NULL: all) of @trace; both the trace and what @window points to must
 * outlive it. Returns 0 or a negative errno.
 */
int lookahead_init(struct lookahead *lookahead, struct fathom_trace *trace,
		   const struct fathom_window *window, struct fathom_err *err);
void lookahead_done(struct lookahead *lookahead);

/* As fathom_cursor_next(). */
int lookahead_next(struct lookahead *lookahead, struct fathom_event *ret_event);
/*
 * Stores the event of @current's buffer that follows it in *@ret_next. Returns 1, 0 if there is
 * none, or a negative errno. @current must be the event last delivered by lookahead_next(); its
 * data may be moved.
 */
int lookahead_peek(struct lookahead *lookahead, struct fathom_event *current,
		   struct fathom_event *ret_next);
/* Drops the event that lookahead_peek() returned. */
void lookahead_take(struct lookahead *lookahead, const struct fathom_event *current);

#endif
