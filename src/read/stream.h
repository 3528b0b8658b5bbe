/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A position in a stream, which is what one CPU wrote into one buffer: always right
 * before an event, the head, or at the end. Pages are found by bisection on the
 * times at their starts; pages without events, holes in a sparse file among them,
 * are passed over.
 *
 * Going back needs the event before the head. Events only know what follows them, so
 * the page is decoded from its start, and the last few events before the head are
 * remembered.
 */
#ifndef FATHOM_READ_STREAM_H
#define FATHOM_READ_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "read/chunk-cache.h"
#include "read/trace.h"

/* An event before the head. */
struct stream_past {
	uint64_t raw;
	uint32_t data, size;
};

struct stream {
	/* The head, and where the walk goes on behind it. */
	const uint8_t *page; /* NULL: not loaded, or its run has left the cache */
	uint64_t time; /* of the head, converted */
	uint64_t raw; /* of the head */
	uint64_t missed; /* before the head */
	uint64_t time_offset; /* all that is to be done to a plain time */
	/* Not in pairs: a load of two fields would wait for the stores to each of them. */
	uint32_t pos; /* of what follows the head */
	uint32_t cpu;
	uint32_t data; /* payload of the head */
	uint32_t end; /* of the page's events */
	uint32_t size; /* of the payload */
	uint16_t buffer;
	bool ended; /* there is no head; @page_no is behind the last page */
	uint64_t page_no; /* of the head */

	const struct trace_stream *of;
	uint64_t loaded_no; /* which page @page is, or was before it left the cache */
	uint64_t touched; /* the part of the mapping that @page is in */
	struct chunk_run *run;
	struct chunk chunk;

	/* The events before the head, the nearest one last. */
	struct stream_past *past;
	uint64_t past_page;
	uint32_t n_past;
	uint32_t past_turn; /* where in @past the earliest one is */
	bool past_more; /* the page has earlier ones */
	uint32_t avail; /* bytes of the page that are there */
};

/*
 * Each stream keeps SOURCE_TOUCH_SIZE of the mapping resident. More streams than this read their
 * pages into the cache, whose size is bounded.
 */
#define STREAMS_MAPPED_MAX 512

/* What all streams of a cursor share. */
struct stream_pool {
	struct fathom_trace *trace;
	struct chunk_cache cache;
	uint32_t past_max; /* events remembered per stream */
	bool use_map; /* read uncompressed pages in the mapping */
};

void stream_init(struct stream *stream, const struct trace_stream *of);

/* Makes @page valid for @loaded_no again. 0 or -ENOMEM. */
int stream_reload(struct stream_pool *pool, struct stream *stream);
/* To the first event of page @page_no or of one behind it. 1, 0 at the end, -ENOMEM. */
int stream_enter(struct stream_pool *pool, struct stream *stream, uint64_t page_no);
/* To the first event that is not earlier than @time. 1, 0 at the end, -ENOMEM. */
int stream_seek(struct stream_pool *pool, struct stream *stream, uint64_t time);
int stream_seek_end(struct stream_pool *pool, struct stream *stream);
/* After steps back: makes the head's page the loaded one. 0 or -ENOMEM. */
int stream_face_forward(struct stream_pool *pool, struct stream *stream);

/* What is remembered does not stand before the head any more. */
void stream_forget_past(struct stream *stream);

/* Loads page @page_no: 1, 0 when there is no such page, -ENOMEM. */
int stream_load(struct stream_pool *pool, struct stream *stream, uint64_t page_no);
/* Reads the head of the loaded page. */
struct page_head stream_head(struct stream_pool *pool, struct stream *stream);
/* The first event of the loaded page: 1, else 0 or -EBADMSG. */
int stream_first(struct stream *stream, const struct page_head *head, struct page_event *ret_event);
/* The last page before @page_no that was written: 1. 0 when there is none. -ENOMEM. */
int stream_page_before(struct stream_pool *pool, struct stream *stream, uint64_t page_no,
		       uint64_t *ret_page);
/* The number of pages; walks all chunks of a compressed stream. 0 or -ENOMEM. */
int stream_pages(struct stream_pool *pool, const struct stream *stream, uint64_t *ret_pages);

static inline uint64_t missed_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (a == PAGE_MISSED_UNKNOWN || b == PAGE_MISSED_UNKNOWN ||
	    __builtin_add_overflow(a, b, &sum))
		return PAGE_MISSED_UNKNOWN;
	return sum;
}

/* stream_step() for all but the common kind of event. */
int stream_step_rare(struct stream_pool *pool, struct stream *stream);

/*
 * Makes the event that follows the head the head; the page must be loaded. As stream_enter().
 * The common kind is decoded here once more and without page_iter_next(), since its structs
 * would go through memory.
 */
static inline __attribute__((always_inline)) int
stream_step(struct stream_pool *pool, struct stream *stream, bool big, bool plain)
{
	uint32_t pos = stream->pos, left = stream->end - pos;
	uint32_t word, type, size;

	if (__builtin_expect(left < 8, 0))
		return stream_step_rare(pool, stream);
	word = load_u32(stream->page + pos, big);
	type = big ? word >> 27 : word & 31;
	size = type * 4;
	if (__builtin_expect(type - 1 >= 28 || size > left - 4, 0))
		return stream_step_rare(pool, stream);
	stream->raw += big ? word & ((1U << 27) - 1) : word >> 5;
	stream->time = plain ? stream->raw + stream->time_offset :
			       time_convert(&stream->of->buffer->time, stream->cpu, stream->raw);
	stream->data = pos + 4;
	stream->size = size;
	stream->pos = pos + 4 + size;
	stream->missed = 0;
	return 1;
}

#endif
