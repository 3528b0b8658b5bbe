/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A position in a stream, the data of one CPU in one buffer: always right before an event, called
 * the head, or at the end. Pages are found by bisection on the times at their starts; pages without
 * events, including holes in a sparse file, are skipped.
 *
 * To step back, the event before the head is needed. Events only say where the next one is, so the
 * page is decoded from its start, and the last few events before the head are remembered.
 *
 * A stream belongs to the thread of its cursor. Damaged pages are noted and skipped. "raw" is a
 * time in units of the buffer's clock; other times are converted, in nanoseconds.
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
	/* The head, and where the walk continues. */
	const uint8_t *page; /* NULL: not loaded, or its run was evicted from the cache */
	uint64_t time; /* of the head, converted */
	uint64_t raw; /* time of the head */
	uint64_t missed; /* events lost before the head */
	uint64_t time_offset; /* to add, if conversion needs nothing else */
	/* Not in pairs: loading two fields at once would wait for the stores to each of them. */
	uint32_t pos; /* offset of what follows the head */
	uint32_t cpu;
	uint32_t data; /* offset of the head's payload */
	uint32_t end; /* of the page's events */
	uint32_t size; /* of the payload, in bytes */
	uint16_t buffer;
	bool ended; /* there is no head; @page_no is past the last page */
	uint64_t page_no; /* of the head */

	const struct trace_stream *of;
	uint64_t loaded_no; /* the number of @page, or of the page evicted */
	uint64_t touched; /* the part of the mapping that contains @page */
	struct chunk_run *run;
	struct chunk chunk;

	/* The events before the head, nearest last. */
	struct stream_past *past;
	uint64_t past_page;
	uint32_t n_past;
	uint32_t past_turn; /* index of the earliest one in @past */
	bool past_more; /* the page has earlier events */
	uint32_t avail; /* bytes of the page that exist */
};

/*
 * Each stream keeps SOURCE_TOUCH_SIZE bytes of the mapping resident. With more streams than this,
 * pages are read into the cache instead, which has a limited size.
 */
#define STREAMS_MAPPED_MAX 512

/* Shared by all streams of a cursor. */
struct stream_pool {
	struct fathom_trace *trace;
	struct chunk_cache cache;
	uint32_t past_max; /* events remembered per stream */
	bool use_map; /* access uncompressed pages in the mapping */
	bool is_unwatched; /* don't call the trace's watch */
	bool is_limited; /* created after reading was ended: reads up to there */
	bool is_ended; /* by the trace's watch */
};

void stream_init(struct stream *stream, const struct trace_stream *of);

/* Loads page @loaded_no again if it was evicted. Returns 0 or -ENOMEM. */
int stream_reload(struct stream_pool *pool, struct stream *stream);
/* Moves to the first event on page @page_no or later. Returns 1, 0 at the end, or -ENOMEM. */
int stream_enter(struct stream_pool *pool, struct stream *stream, uint64_t page_no);
/* Moves to the first event at @time or later. Returns 1, 0 at the end, or -ENOMEM. */
int stream_seek(struct stream_pool *pool, struct stream *stream, uint64_t time);
int stream_seek_end(struct stream_pool *pool, struct stream *stream);
/* After stepping back: loads the page of the head. Returns 0 or -ENOMEM. */
int stream_face_forward(struct stream_pool *pool, struct stream *stream);

/* Drops remembered events, because the head has moved. */
void stream_forget_past(struct stream *stream);

/* Loads page @page_no. Returns 1, 0 if there is no such page, or -ENOMEM. */
int stream_load(struct stream_pool *pool, struct stream *stream, uint64_t page_no);
/* Reads the head of the loaded page. */
struct page_head stream_head(struct stream_pool *pool, struct stream *stream);
/* Returns 1 with the first event of the loaded page, 0 if it has none, or -EBADMSG. */
int stream_first(struct stream *stream, const struct page_head *head, struct page_event *ret_event);
/* Finds the last written page before @page_no. Returns 1, 0 if there is none, or -ENOMEM. */
int stream_page_before(struct stream_pool *pool, struct stream *stream, uint64_t page_no,
		       uint64_t *ret_page);
/* Returns the number of pages; walks all chunks of a compressed stream. Returns 0 or -ENOMEM. */
int stream_pages(struct stream_pool *pool, const struct stream *stream, uint64_t *ret_pages);

static inline uint64_t missed_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (a == PAGE_MISSED_UNKNOWN || b == PAGE_MISSED_UNKNOWN ||
	    __builtin_add_overflow(a, b, &sum))
		return PAGE_MISSED_UNKNOWN;
	return sum;
}

/* stream_step() for the less common kinds of events. */
int stream_step_rare(struct stream_pool *pool, struct stream *stream);

/*
 * Makes the next event the head; the page must be loaded. Returns as stream_enter(). Decodes the
 * common kind of event itself, because page_iter_next() would pass its structs through memory.
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
