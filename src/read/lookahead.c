/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/lookahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "read/cursor.h"

int lookahead_init(struct lookahead *lookahead, struct fathom_trace *trace,
		   const struct fathom_window *window, struct fathom_err *err)
{
	static const struct fathom_window all = FATHOM_WINDOW_ALL;
	size_t n = fathom_trace_info(trace)->buffers;
	int r;

	memset(lookahead, 0, sizeof(*lookahead));
	lookahead->trace = trace;
	lookahead->window = window ? *window : all;
	if (n > 1) {
		lookahead->buffers = mem_zalloc(n, sizeof(lookahead->buffers[0]));
		if (!lookahead->buffers)
			return err_nomem(err);
		lookahead->n_buffers = n;
	}
	r = fathom_cursor_new(trace, &lookahead->window, &lookahead->cursor, err);
	if (r < 0)
		lookahead_done(lookahead);
	return r;
}

void lookahead_done(struct lookahead *lookahead)
{
	for (size_t i = 0; i < lookahead->n_buffers; i++)
		fathom_cursor_free(lookahead->buffers[i].ahead);
	fathom_cursor_free(lookahead->cursor);
	free(lookahead->buffers);
	free(lookahead->copy);
	memset(lookahead, 0, sizeof(*lookahead));
}

/*
 * Moves the second cursor of the buffer past @event. Returns 1 if the event was taken, 0 if not, or
 * -ENOMEM.
 */
static int lookahead_follow(struct lookahead_buffer *buffer, const struct fathom_event *event)
{
	struct fathom_event same;
	bool taken = buffer->taken;
	int r = 1;

	buffer->taken = false;
	buffer->same = event->time == buffer->time ? buffer->same + 1 : 1;
	buffer->time = event->time;
	if (!buffer->ahead)
		return taken;
	if (!buffer->peeked)
		r = fathom_cursor_next(buffer->ahead, &same);
	if (r <= 0) {
		/* It has no position now; the next peek creates another one. */
		fathom_cursor_free(buffer->ahead);
		buffer->ahead = NULL;
	}
	buffer->peeked = false;
	return r < 0 ? r : taken;
}

int lookahead_next(struct lookahead *lookahead, struct fathom_event *ret_event)
{
	int r, taken;

	if (lookahead->has_pending) {
		*ret_event = lookahead->pending;
		lookahead->has_pending = false;
		return 1;
	}
	do {
		taken = 0;
		r = fathom_cursor_next(lookahead->cursor, ret_event);
		if (r > 0 && lookahead->buffers && ret_event->buffer < lookahead->n_buffers)
			taken = lookahead_follow(&lookahead->buffers[ret_event->buffer], ret_event);
	} while (r > 0 && taken > 0);
	return taken < 0 ? taken : r;
}

/* Creates a cursor positioned after the last event delivered from buffer @number. */
static int put_up(struct lookahead *lookahead, uint16_t number)
{
	struct lookahead_buffer *buffer = &lookahead->buffers[number];
	struct fathom_window window = lookahead->window;
	struct fathom_event event;
	int r;

	window.buffers = &number;
	window.n_buffers = 1;
	r = fathom_cursor_new(lookahead->trace, &window, &buffer->ahead, NULL);
	if (r < 0)
		return r;
	cursor_unwatch(buffer->ahead);
	r = fathom_cursor_seek(buffer->ahead, buffer->time);
	for (uint64_t i = 0; r >= 0 && i < buffer->same; i++)
		r = fathom_cursor_next(buffer->ahead, &event);
	if (r < 0) {
		fathom_cursor_free(buffer->ahead);
		buffer->ahead = NULL;
	}
	return r;
}

static int peek_buffer(struct lookahead *lookahead, const struct fathom_event *current,
		       struct fathom_event *ret_next)
{
	struct lookahead_buffer *buffer = &lookahead->buffers[current->buffer];
	int r;

	if (!buffer->ahead) {
		r = put_up(lookahead, current->buffer);
		if (r < 0)
			return r;
	}
	r = fathom_cursor_next(buffer->ahead, ret_next);
	buffer->peeked = r > 0;
	return r;
}

static int keep_copy(struct lookahead *lookahead, struct fathom_event *current)
{
	if (current->size > lookahead->cap_copy) {
		int r = mem_reserve(&lookahead->copy, &lookahead->cap_copy, current->size, 1);

		if (r < 0)
			return r;
	}
	if (current->size)
		memcpy(lookahead->copy, current->data, current->size);
	current->data = lookahead->copy;
	return 0;
}

int lookahead_peek(struct lookahead *lookahead, struct fathom_event *current,
		   struct fathom_event *ret_next)
{
	int r;

	if (lookahead->buffers)
		return current->buffer < lookahead->n_buffers ?
			       peek_buffer(lookahead, current, ret_next) :
			       0;
	if (!lookahead->has_pending) {
		r = keep_copy(lookahead, current);
		if (r < 0)
			return r;
		r = fathom_cursor_next(lookahead->cursor, &lookahead->pending);
		if (r <= 0)
			return r;
		lookahead->has_pending = true;
	}
	*ret_next = lookahead->pending;
	return 1;
}

void lookahead_take(struct lookahead *lookahead, const struct fathom_event *current)
{
	if (!lookahead->buffers)
		lookahead->has_pending = false;
	else if (current->buffer < lookahead->n_buffers)
		lookahead->buffers[current->buffer].taken = true;
}
