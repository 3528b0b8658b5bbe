/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The internals of a cursor, and functions that are not in the public header. Like a cursor, not
 * thread-safe. The trace must outlive the cursor. Times are in nanoseconds unless they are called
 * raw.
 */
#ifndef FATHOM_READ_CURSOR_H
#define FATHOM_READ_CURSOR_H

#include <stdbool.h>

#include <fathom/cursor.h>

#include "base/cleanup.h"
#include "read/merge.h"
#include "read/page-feed.h"
#include "read/stream.h"

/* Bytes of memory for the events that streams remember when stepping back. */
#define CURSOR_PAST_MAX ((size_t)8 << 20)

/* The direction in which the streams face, which determines the order of the tree. */
enum cursor_way {
	CURSOR_LOST, /* no position, because of an error */
	CURSOR_FORWARD, /* ordered by the heads of the streams */
	CURSOR_BACK, /* ordered by the events before the heads, latest first */
};

struct fathom_cursor {
	struct stream_pool pool;
	struct stream *streams;
	size_t n_streams;
	struct merge merge;
	struct merge_key *keys; /* scratch buffer for building the tree */
	struct stream *top; /* the stream with the next event */
	struct common_fields common;
	uint64_t from, to;
	int32_t *pids; /* sorted; NULL: all */
	size_t n_pids;
	struct stream_past *past; /* of all streams, allocated on demand */
	enum cursor_way way;
	bool taken; /* the top stream's event was delivered; step over it first */
	bool big;
	bool plain; /* times only need an offset added */
};

DEFINE_CLEANUP(struct fathom_cursor, fathom_cursor_free);

/* Returns whether the event last delivered by fathom_cursor_next() is the first one of its page. */
bool cursor_at_page_start(struct fathom_cursor *cursor);
/*
 * Stores the cursor's position in each of its streams in @marks, which has one element for each
 * stream of the trace, in the same order. Elements of other streams are not modified. Returns 0 or
 * -ENOMEM.
 */
int cursor_get_marks(struct fathom_cursor *cursor, struct stream_mark *marks);
/* Moves the cursor to such a position. Returns 0 or -ENOMEM. */
int cursor_set_marks(struct fathom_cursor *cursor, const struct stream_mark *marks);

/* The location of an event, to report damage in a file. */
struct cursor_place {
	const uint8_t *page; /* valid until the cursor moves */
	uint64_t page_time; /* as stored, raw */
	/* file offset; for compressed data, offset in the CPU's uncompressed data */
	uint64_t page_offset;
	uint64_t time; /* of the event, raw */
	uint32_t header; /* offset of the event in the page */
	uint32_t next; /* offset of whatever follows it */
	uint32_t end; /* end of the page's events */
	bool big_endian;
};

/*
 * Returns the location of the event last delivered by fathom_cursor_next(). False: there is none.
 */
bool cursor_place(struct fathom_cursor *cursor, struct cursor_place *ret_place);

/*
 * For a trace that is fed while it is read (live.h): continues at the current position with the
 * pages added since, up to the time @to. Returns 0 or a negative errno.
 */
int cursor_resume(struct fathom_cursor *cursor, uint64_t to);
/*
 * Lets the cursor read without calling the trace's watch, for one that reads the same as another
 * one.
 */
static inline void cursor_unwatch(struct fathom_cursor *cursor)
{
	cursor->pool.is_unwatched = true;
}

/* Turns all streams and the tree to the other direction. Returns 0 or -ENOMEM. */
int cursor_face(struct fathom_cursor *cursor, enum cursor_way way);

#endif
