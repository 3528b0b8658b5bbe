/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A cursor is a position between two events of a trace. It iterates over the events of all CPUs
 * and buffers in chronological order; events with equal times are ordered by buffer, then by CPU.
 * There is no index and no memory per event: the size of a cursor is bounded, regardless of the
 * length of the file (48 MB, plus 200 bytes for each CPU of each buffer).
 *
 * The events of a CPU are in the order of the file. If the clock jumps back, their times are not
 * changed; then fathom_cursor_seek() and windows are only as accurate as timestamps are monotonic.
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

/** Events were lost, but the kernel did not count them. */
#define FATHOM_MISSED_UNKNOWN UINT64_MAX

/** An event. @data is valid until the cursor is used again. */
struct fathom_event {
	uint64_t time; /**< in nanoseconds, or in units of the clock */
	const void *data; /**< as written by the kernel, in the byte order of the file */
	uint64_t missed; /**< events of this CPU lost before: n or FATHOM_MISSED_UNKNOWN */
	uint32_t size; /**< of @data, in bytes */
	uint32_t cpu;
	int32_t pid; /**< common_pid; -1 if the event is too short to contain it */
	uint16_t id; /**< common_type, which identifies the format */
	uint16_t buffer; /**< see fathom_trace_buffer() */
};

/** Selects the events of a cursor. If zero-initialized, except for @to = UINT64_MAX: all. */
struct fathom_window {
	uint64_t from, to; /**< time range, inclusive */
	const uint32_t *cpus; /**< NULL: all */
	size_t n_cpus;
	const uint16_t *buffers; /**< NULL: all */
	size_t n_buffers;
	const int32_t *pids; /**< NULL: all */
	size_t n_pids;
};

/** Selects the whole trace. */
#define FATHOM_WINDOW_ALL                                                                          \
	{                                                                                          \
		0, UINT64_MAX, (const uint32_t *)0, 0, (const uint16_t *)0, 0, (const int32_t *)0, \
			0                                                                          \
	}

/**
 * Creates a cursor at the start of @window, which is copied; NULL: the whole trace. *@ret_cursor
 * must be released with fathom_cursor_free(), before the trace. Returns 0 or a negative errno.
 */
FATHOM_API int fathom_cursor_new(struct fathom_trace *trace, const struct fathom_window *window,
				 struct fathom_cursor **ret_cursor, struct fathom_err *err);
/** Releases the cursor; accepts NULL. */
FATHOM_API void fathom_cursor_free(struct fathom_cursor *cursor);

/**
 * Moves past the next event and stores it in *@ret_event. Returns 1, 0 at the end of the window, or
 * a negative errno if memory is exhausted; then the cursor must be repositioned before the next use.
 *
 * If a window is limited to pids, and events were lost before one that it excludes, the loss is
 * reported as an event of its own, with @data NULL, @size 0 and @pid -1.
 */
FATHOM_API int fathom_cursor_next(struct fathom_cursor *cursor, struct fathom_event *ret_event);
/** The same for the previous event; returns 0 at the start of the window. */
FATHOM_API int fathom_cursor_prev(struct fathom_cursor *cursor, struct fathom_event *ret_event);
/** Moves before the first event at or after @time. Returns 0 or a negative errno. */
FATHOM_API int fathom_cursor_seek(struct fathom_cursor *cursor, uint64_t time);
/** Moves to the start of the window. Returns 0 or a negative errno. */
FATHOM_API int fathom_cursor_first(struct fathom_cursor *cursor);
/**
 * Moves before the last @n events of the window; 0: to its end. *@ret_n is the number of events
 * after the cursor, at most @n; @ret_n may be NULL. Returns 0 or a negative errno.
 */
FATHOM_API int fathom_cursor_last(struct fathom_cursor *cursor, uint64_t n, uint64_t *ret_n);

#ifdef __cplusplus
}
#endif

#endif
