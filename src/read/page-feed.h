/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Iterates over the pages of a stream to write them elsewhere: all pages, or those between two
 * marks, of which the first and the last are cut. A reader of the result sees the same events, with
 * the same losses before them. Pages that were never written are skipped; pages that cannot be read
 * are replaced by one that reports a loss.
 *
 * Memory does not grow with the stream: a chunk, or a few pages. Not thread-safe. The trace must
 * outlive the feed.
 */
#ifndef FATHOM_READ_PAGE_FEED_H
#define FATHOM_READ_PAGE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/chunk-cache.h"
#include "read/trace.h"

/* A position in a stream: right before an event, or at the end. */
struct stream_mark {
	uint64_t page; /* STREAM_END: after all events */
	uint64_t missed; /* before the event, as in struct fathom_event */
	uint32_t data; /* offset of its payload in the page */
};

#define STREAM_END UINT64_MAX

/* Consecutive whole pages. */
struct page_run {
	/* NULL: in the file, at @offset; otherwise valid until the next call */
	const uint8_t *bytes;
	uint64_t offset;
	size_t size;
};

struct page_feed {
	int fd; /* of the file that contains runs without bytes */
	uint64_t done; /* bytes of the stream in the file that were processed */

	const struct trace_stream *of; /* NULL: the whole file consists of pages */
	const struct page_layout *layout;
	struct source *source;
	struct source own; /* for a file that consists of pages */
	uint64_t offset, size; /* of the pages in the file, unless they are compressed */
	uint64_t raw; /* offset of the next page in the uncompressed data */
	struct chunk_cache cache;
	struct chunk_run *run;
	struct chunk chunk;
	const uint8_t *run_page;

	bool windowed; /* examine each page */
	struct stream_mark from, to;
	uint64_t missed; /* before the next page, in pages that were skipped */
	uint8_t *made; /* two pages that differ from those in the file */
};

/*
 * Feeds all pages, or with @from and @to (both or none) the events between them. Returns 0 or
 * -ENOMEM.
 */
int page_feed_init(struct page_feed *feed, struct fathom_trace *trace,
		   const struct trace_stream *of, const struct stream_mark *from,
		   const struct stream_mark *to);
/*
 * Feeds the first @size bytes of a file that consists of pages. @fd stays the caller's, who keeps
 * it open; likewise @layout. Returns 0 or -ENOMEM.
 */
int page_feed_init_file(struct page_feed *feed, int fd, uint64_t size,
			const struct page_layout *layout);
void page_feed_done(struct page_feed *feed);
/* Returns 1 with the next pages, 0 at the end, or a negative errno. */
int page_feed_next(struct page_feed *feed, struct page_run *ret_run);

#endif
