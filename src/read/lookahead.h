/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cursor that can tell what comes next in the same buffer, for those whose text
 * for an event depends on the one behind it (a call without calls in it is one
 * line). An event that was looked at can be taken, then it is not delivered.
 */
#ifndef FATHOM_READ_LOOKAHEAD_H
#define FATHOM_READ_LOOKAHEAD_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/cursor.h>

/* Of a buffer of a trace that has several: a second cursor, which runs ahead. */
struct lookahead_buffer {
	struct fathom_cursor *ahead; /* behind the last event delivered; NULL: not asked yet */
	uint64_t time; /* of the last event delivered */
	uint64_t same; /* events of that time that were */
	bool peeked; /* the cursor is one further */
	bool taken; /* the next event is not delivered */
};

struct lookahead {
	struct fathom_trace *trace;
	struct fathom_window window;
	struct fathom_cursor *cursor;
	struct fathom_event pending; /* with one buffer: what was looked at */
	bool has_pending;
	uint8_t *copy; /* of the current event, which the cursor has left */
	size_t cap_copy;
	struct lookahead_buffer *buffers; /* NULL: there is one buffer */
	size_t n_buffers;
};

/* Looks at @window (NULL: all) of the trace, which must outlive it, as must what @window refers to. */
int lookahead_init(struct lookahead *lookahead, struct fathom_trace *trace,
		   const struct fathom_window *window, struct fathom_err *err);
void lookahead_done(struct lookahead *lookahead);

/* As fathom_cursor_next(). */
int lookahead_next(struct lookahead *lookahead, struct fathom_event *ret_event);
/*
 * The event of @current's buffer that comes behind it, in *@ret_next: 1, 0 when there
 * is none, -ENOMEM. @current is what lookahead_next() delivered last; its data may move.
 */
int lookahead_peek(struct lookahead *lookahead, struct fathom_event *current,
		   struct fathom_event *ret_next);
/* What lookahead_peek() told last is not delivered any more. */
void lookahead_take(struct lookahead *lookahead, const struct fathom_event *current);

#endif
