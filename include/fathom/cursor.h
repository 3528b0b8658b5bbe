/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cursor is a position between two events of a trace. It moves over them in
 * chronological order, CPUs and buffers merged. Events of one time come in the order of
 * buffers, then of CPUs. Nothing is indexed, and no memory is taken per event: a
 * cursor has the same small size for a file of any length (at most 48 MB, and 200
 * bytes for each CPU of each buffer).
 *
 * Within one CPU events are in the order in which the file has them. Where the
 * file's clock jumps back they are delivered with the times that they have; then
 * fathom_cursor_seek() and windows are only as accurate as timestamps are monotonic.
 */
#ifndef FATHOM_CURSOR_H
#define FATHOM_CURSOR_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>
#include <fathom/export.h>
#include <fathom/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fathom_cursor;

/** Events were lost, but the kernel did not say how many. */
#define FATHOM_MISSED_UNKNOWN UINT64_MAX

/** An event; what @data points at is valid until the cursor is used again. */
struct fathom_event {
	uint64_t time; /**< nanoseconds, or whatever the clock counts */
	const void *data; /**< the event as the kernel wrote it, in the file's byte order */
	uint64_t missed; /**< events of this CPU lost right before: 0, n, FATHOM_MISSED_UNKNOWN */
	uint32_t size; /**< bytes at @data */
	uint32_t cpu;
	int32_t pid; /**< common_pid; -1 when the event is too short to have one */
	uint16_t id; /**< common_type, which says by which format the event is read */
	uint16_t buffer; /**< see fathom_trace_buffer() */
};

/** Which events a cursor shows. Zero-initialized, with @to set to UINT64_MAX: all. */
struct fathom_window {
	uint64_t from, to; /**< times; events of both times belong to it */
	const uint32_t *cpus; /**< NULL: all */
	size_t n_cpus;
	const uint16_t *buffers; /**< NULL: all */
	size_t n_buffers;
	const int32_t *pids; /**< NULL: all */
	size_t n_pids;
};

/** A window on the whole trace. */
#define FATHOM_WINDOW_ALL                                                                          \
	{                                                                                          \
		0, UINT64_MAX, (const uint32_t *)0, 0, (const uint16_t *)0, 0, (const int32_t *)0, \
			0                                                                          \
	}

/**
 * A cursor at the start of @window, which is copied; NULL shows all. It goes to @ret_cursor and is
 * released with fathom_cursor_free(), before its trace. 0 or a negative errno.
 */
FATHOM_API int fathom_cursor_new(struct fathom_trace *trace, const struct fathom_window *window,
				 struct fathom_cursor **ret_cursor, struct fathom_err *err);
/** Releases the cursor. NULL is fine. */
FATHOM_API void fathom_cursor_free(struct fathom_cursor *cursor);

/**
 * Moves behind the next event, which goes to @ret_event: 1. 0 at the end of the window. A negative
 * errno when memory is short; the cursor must be put somewhere before it is used again.
 *
 * When a window is limited to pids, and events were lost right before one that it does not show,
 * the loss is delivered alone: with @data NULL, @size 0 and @pid -1.
 */
FATHOM_API int fathom_cursor_next(struct fathom_cursor *cursor, struct fathom_event *ret_event);
/** Moves before the previous event, which goes to @ret_event: 1. 0 at the start of the window. */
FATHOM_API int fathom_cursor_prev(struct fathom_cursor *cursor, struct fathom_event *ret_event);
/** Moves before the first event that is not earlier than @time. 0 or a negative errno. */
FATHOM_API int fathom_cursor_seek(struct fathom_cursor *cursor, uint64_t time);
/** Moves to the start of the window. 0 or a negative errno. */
FATHOM_API int fathom_cursor_first(struct fathom_cursor *cursor);
/**
 * Moves before the last @n events of the window, with 0 to its end. The number of events that are
 * behind the cursor now is at most @n and goes to @ret_n, which may be NULL.
 */
FATHOM_API int fathom_cursor_last(struct fathom_cursor *cursor, uint64_t n, uint64_t *ret_n);

#ifdef __cplusplus
}
#endif

#endif
