/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pages of a stream one after the other, to be written elsewhere: all of them, or
 * those between two places, of which the first and the last page are cut. Whoever reads
 * what is written sees the same events, with the same losses before them. Pages that were
 * never written are left out; where pages cannot be read, a page that says so stands
 * for them.
 *
 * The memory that is taken does not grow with the stream: a chunk, or some pages.
 */
#ifndef FATHOM_READ_PAGE_FEED_H
#define FATHOM_READ_PAGE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/chunk-cache.h"
#include "read/stream.h"

/* A place in a stream: right before an event, or at the end. */
struct stream_mark {
	uint64_t page; /* STREAM_END: behind all events */
	uint64_t missed; /* before the event, as in struct fathom_event */
	uint32_t data; /* where in the page its payload begins */
};

#define STREAM_END UINT64_MAX

/* A row of whole pages. */
struct page_run {
	const uint8_t *bytes; /* NULL: in the file, at @offset; else valid until the next call */
	uint64_t offset;
	size_t size;
};

struct page_feed {
	int fd; /* that runs without bytes are in */
	uint64_t done; /* bytes of the file that were dealt with, of all that the stream has there */

	const struct trace_stream *of; /* NULL: all of a file is pages */
	const struct page_layout *layout;
	struct source *source;
	struct source own; /* for a file that is nothing but pages */
	uint64_t offset, size; /* of the pages in the file, unless they are compressed */
	uint64_t raw; /* of the next page */
	struct chunk_cache cache;
	struct chunk_run *run;
	struct chunk chunk;
	const uint8_t *run_page;

	bool windowed; /* look at each page */
	struct stream_mark from, to;
	uint64_t missed; /* before the next page, in pages that are left out */
	uint8_t *made; /* room for two pages that are not as they are in the file */
};

/* All pages; with @from and @to (both or none) the events between them. 0 or -ENOMEM. */
int page_feed_init(struct page_feed *feed, struct fathom_trace *trace,
		   const struct trace_stream *of, const struct stream_mark *from,
		   const struct stream_mark *to);
/* All pages in the first @size bytes of a file, which is nothing but pages. 0 or -ENOMEM. */
int page_feed_init_file(struct page_feed *feed, int fd, uint64_t size,
			const struct page_layout *layout);
void page_feed_done(struct page_feed *feed);
/* The next pages: 1. 0 at the end. A negative errno. */
int page_feed_next(struct page_feed *feed, struct page_run *ret_run);

#endif
