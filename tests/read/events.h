/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All events of a trace as an array, for comparisons with other ways of reading. */
#ifndef FATHOM_TESTS_READ_EVENTS_H
#define FATHOM_TESTS_READ_EVENTS_H

#include <fathom/fathom.h>

#include "test.h"
#include "trace-writer.h"

struct events {
	struct fathom_event *list; /* @data is invalid */
	uint32_t *sums; /* of the bytes of each */
	size_t n, cap, cap_sums;
};

static inline uint32_t event_sum(const struct fathom_event *event)
{
	const uint8_t *bytes = event->data;
	uint32_t sum = event->size;

	for (uint32_t i = 0; i < event->size; i++)
		sum = sum * 31 + bytes[i];
	return sum;
}

static inline void events_add(struct events *events, const struct fathom_event *event)
{
	if (events->n == events->cap) {
		events->cap = events->cap ? events->cap * 2 : 1024;
		events->list = reallocarray(events->list, events->cap, sizeof(*events->list));
		events->sums = reallocarray(events->sums, events->cap, sizeof(*events->sums));
		assert_non_null(events->list);
		assert_non_null(events->sums);
	}
	events->sums[events->n] = event_sum(event);
	events->list[events->n++] = *event;
}

static inline void events_done(struct events *events)
{
	free(events->list);
	free(events->sums);
	memset(events, 0, sizeof(*events));
}

/* Returns everything after the position of the cursor. */
static inline void events_read(struct events *events, struct fathom_cursor *cursor)
{
	struct fathom_event event;
	int r;

	while ((r = fathom_cursor_next(cursor, &event)) == 1)
		events_add(events, &event);
	assert_int_equal(r, 0);
}

static inline void event_same(const struct events *events, size_t i,
			      const struct fathom_event *event)
{
	const struct fathom_event *want = &events->list[i];

	assert_true(i < events->n);
	assert_true(want->time == event->time);
	assert_int_equal(want->cpu, event->cpu);
	assert_int_equal(want->pid, event->pid);
	assert_int_equal(want->id, event->id);
	assert_int_equal(want->buffer, event->buffer);
	assert_int_equal(want->size, event->size);
	assert_true(want->missed == event->missed);
	assert_int_equal(events->sums[i], event_sum(event));
}

static inline struct fathom_trace *open_or_fail(const char *path, unsigned flags)
{
	struct fathom_err err = { 0 };
	struct fathom_trace *trace;

	if (fathom_trace_open(path, flags, &trace, &err) < 0)
		fail_msg("%s", fathom_err_text(&err));
	return trace;
}

static inline struct fathom_cursor *cursor_or_fail(struct fathom_trace *trace,
						   const struct fathom_window *window)
{
	struct fathom_cursor *cursor;

	assert_int_equal(fathom_cursor_new(trace, window, &cursor, NULL), 0);
	return cursor;
}

/* A small random number generator, so that a failure is reproducible. */
static inline uint64_t rnd(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
