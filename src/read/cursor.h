/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a cursor is made of. */
#ifndef FATHOM_READ_CURSOR_H
#define FATHOM_READ_CURSOR_H

#include <stdbool.h>

#include <fathom/cursor.h>

#include "base/cleanup.h"
#include "read/merge.h"
#include "read/page-feed.h"
#include "read/stream.h"

/* Memory for the events that streams remember when they step back. */
#define CURSOR_PAST_MAX ((size_t)8 << 20)

/* Which way the streams face, and so what the tree is ordered by. */
enum cursor_way {
	CURSOR_LOST, /* an error left it nowhere */
	CURSOR_FORWARD, /* by the streams' heads */
	CURSOR_BACK, /* by the events before them, the latest first */
};

struct fathom_cursor {
	struct stream_pool pool;
	struct stream *streams;
	size_t n_streams;
	struct merge merge;
	struct merge_key *keys; /* scratch for building the tree */
	struct stream *top; /* the stream whose event comes next */
	struct common_fields common;
	uint64_t from, to;
	int32_t *pids; /* sorted; NULL: all */
	size_t n_pids;
	struct stream_past *past; /* of all streams, made when first needed */
	enum cursor_way way;
	bool taken; /* the top stream's event was delivered; step over it first */
	bool big;
	bool plain; /* times need nothing but an offset */
};

DEFINE_CLEANUP(struct fathom_cursor, fathom_cursor_free);

/* Is the event that fathom_cursor_next() delivered last the first one of its page? */
bool cursor_at_page_start(struct fathom_cursor *cursor);
/*
 * Where the cursor stands in each of its streams goes to @marks, which has room for all streams of
 * the trace, in their order; those of other streams are left alone. 0 or -ENOMEM.
 */
int cursor_get_marks(struct fathom_cursor *cursor, struct stream_mark *marks);
/* Puts the cursor there. 0 or -ENOMEM. */
int cursor_set_marks(struct fathom_cursor *cursor, const struct stream_mark *marks);

/* Where an event lies, for those who look for what is wrong with a file. */
struct cursor_place {
	const uint8_t *page; /* until the cursor moves */
	uint64_t page_time; /* as it stands there */
	uint64_t page_offset; /* in the file; if it is compressed, in what the CPU has unpacked */
	uint64_t time; /* of the event, as in the ring buffer */
	uint32_t header; /* offset of the event in the page */
	uint32_t next; /* of what follows it */
	uint32_t end; /* of the page's events */
	bool big_endian;
};

/* The place of the event that fathom_cursor_next() delivered last. False: there is none. */
bool cursor_place(struct fathom_cursor *cursor, struct cursor_place *ret_place);

/*
 * For a cursor of a trace whose pages come while it is read: goes on at its place with those
 * that have come, up to @to. 0 or a negative errno.
 */
int cursor_resume(struct fathom_cursor *cursor, uint64_t to);
/* Turns all streams, and the tree, to the other way. 0 or -ENOMEM. */
int cursor_face(struct fathom_cursor *cursor, enum cursor_way way);

#endif
