/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/page-feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/page/page-cut.h"
#include "read/stream.h"

/* Bytes returned at a time from a file. */
#define RANGE_MAX ((uint64_t)8 << 20)

static bool page_feed_is_plain(const struct page_feed *feed)
{
	return !feed->of || !feed->of->buffer->compressed;
}

static int page_feed_set_up(struct page_feed *feed)
{
	feed->fd = feed->source->fd;
	feed->made = mem_alloc(2 * (size_t)feed->layout->size);
	return feed->made ? 0 : -ENOMEM;
}

int page_feed_init(struct page_feed *feed, struct fathom_trace *trace,
		   const struct trace_stream *of, const struct stream_mark *from,
		   const struct stream_mark *to)
{
	memset(feed, 0, sizeof(*feed));
	feed->of = of;
	feed->layout = &of->buffer->layout;
	feed->source = &trace->source;
	feed->offset = of->cpu->offset;
	feed->size = of->cpu->size;
	chunk_cache_init(&feed->cache, trace, 1);
	if (from && to) {
		feed->windowed = true;
		feed->from = *from;
		feed->to = *to;
		if (from->page == STREAM_END ||
		    __builtin_mul_overflow(from->page, feed->layout->size, &feed->raw))
			feed->raw = UINT64_MAX;
	}
	return page_feed_set_up(feed);
}

int page_feed_init_file(struct page_feed *feed, int fd, uint64_t size,
			const struct page_layout *layout)
{
	struct stat st;

	memset(feed, 0, sizeof(*feed));
	feed->layout = layout;
	feed->own.fd = fd;
	feed->own.size = size;
	feed->own.has_holes = fstat(fd, &st) == 0 &&
			      (uint64_t)st.st_blocks * 512 < (uint64_t)st.st_size;
	feed->source = &feed->own;
	feed->size = size;
	return page_feed_set_up(feed);
}

void page_feed_done(struct page_feed *feed)
{
	chunk_cache_done(&feed->cache);
	free(feed->made);
	feed->made = NULL;
}

/* Skips to the first page that contains a written byte. */
static void page_feed_skip_hole(struct page_feed *feed)
{
	uint64_t data;

	if (!feed->source->has_holes || !page_feed_is_plain(feed) || feed->raw >= feed->size)
		return;
	data = source_next_data(feed->source, feed->offset + feed->raw) - feed->offset;
	feed->raw = data >= feed->size ? feed->size : data - data % feed->layout->size;
}

/* Returns the end of the data that starts at the next page: a hole, or the end of the stream. */
static uint64_t data_end(const struct page_feed *feed)
{
	uint64_t end;
	off_t hole;

	if (!feed->source->has_holes)
		return feed->size;
	hole = lseek(feed->fd, (off_t)(feed->offset + feed->raw), SEEK_HOLE);
	if (hole < 0)
		return feed->size;
	/* The page in which the hole begins contains data. */
	end = (uint64_t)hole - feed->offset + feed->layout->size - 1;
	return end < feed->size ? end : feed->size;
}

/* The rest of a file, less than a page: take the complete events. */
static int last_page(struct page_feed *feed, size_t avail, struct page_run *ret_run)
{
	uint8_t *bytes = feed->made + feed->layout->size;
	long got = source_read(feed->source, feed->offset + feed->raw, bytes, avail);
	struct page_head head;

	feed->done = feed->raw = feed->size;
	if (got < 0)
		return (int)got;
	head = page_head_read(feed->layout, bytes, (uint32_t)got);
	if (!page_cut(feed->layout, bytes, (uint32_t)got, 0, UINT32_MAX, head.missed, feed->made))
		return 0;
	*ret_run = (struct page_run){ .bytes = feed->made, .size = feed->layout->size };
	return 1;
}

static int next_range(struct page_feed *feed, struct page_run *ret_run)
{
	uint32_t page = feed->layout->size;
	uint64_t size;

	page_feed_skip_hole(feed);
	feed->done = feed->raw;
	if (feed->raw >= feed->size)
		return 0;
	if (feed->size - feed->raw < page)
		return last_page(feed, (size_t)(feed->size - feed->raw), ret_run);
	size = data_end(feed) - feed->raw;
	if (size > RANGE_MAX)
		size = RANGE_MAX < page ? page : RANGE_MAX;
	size -= size % page;
	*ret_run = (struct page_run){ .offset = feed->offset + feed->raw, .size = (size_t)size };
	feed->raw += size;
	feed->done = feed->raw;
	return 1;
}

enum verdict {
	PAGE_SKIPPED, /* not needed */
	PAGE_AS_IT_IS,
	PAGE_MADE, /* the part needed was copied */
	PAGE_BEHIND, /* this and all following pages are past the end */
};

static void take_made(struct page_feed *feed, unsigned pages, struct page_run *ret_run)
{
	*ret_run = (struct page_run){ .bytes = feed->made,
				      .size = pages * (size_t)feed->layout->size };
}

/* A whole page, preceded by one that reports a loss that its head does not contain. */
static void make_with_loss(struct page_feed *feed, const uint8_t *page, uint64_t missed,
			   struct page_run *ret_run)
{
	uint32_t size = feed->layout->size;
	struct page_head head = page_head_read(feed->layout, page, size);

	page_make_lost(feed->layout, head.time, missed, feed->made);
	memcpy(feed->made + size, page, size);
	take_made(feed, 2, ret_run);
}

static enum verdict page_feed_judge(struct page_feed *feed, const uint8_t *page, uint32_t avail,
				    struct page_run *ret_made)
{
	const struct page_layout *layout = feed->layout;
	uint64_t number = feed->raw / layout->size, missed;
	struct page_head head = page_head_read(layout, page, avail);
	struct page_iter it = { .time = head.time, .pos = layout->data_offset, .end = head.end };
	uint32_t from = number == feed->from.page ? feed->from.data : 0;
	uint32_t to = number == feed->to.page ? feed->to.data : UINT32_MAX;
	struct page_event first;

	if (it.pos > it.end || page_iter_next(&it, page, layout->big_endian, &first) != 1) {
		feed->missed = missed_sum(feed->missed, head.missed);
		return PAGE_SKIPPED;
	}
	if (first.data >= to)
		return PAGE_BEHIND;
	missed = missed_sum(feed->missed, head.missed);
	if (number == feed->from.page)
		missed = first.data >= from ? feed->from.missed : 0;
	feed->missed = 0;
	if (avail < layout->size || head.too_long || first.data < from || to != UINT32_MAX) {
		if (!page_cut(layout, page, avail, from, to, missed, feed->made))
			return PAGE_SKIPPED;
		take_made(feed, 1, ret_made);
		return PAGE_MADE;
	}
	if (missed == head.missed)
		return PAGE_AS_IT_IS;
	make_with_loss(feed, page,
		       missed == PAGE_MISSED_UNKNOWN || missed < head.missed ? missed :
									       missed - head.missed,
		       ret_made);
	return PAGE_MADE;
}

/* Returns unmodified pages of the run, or one that was made. Returns 2 to continue. */
static int page_feed_next_wanted(struct page_feed *feed, const uint8_t *bytes, size_t avail,
				 struct page_run *ret_run)
{
	size_t page = feed->layout->size, same = 0;

	while (same < avail) {
		size_t left = avail - same;
		uint64_t missed = feed->missed;
		enum verdict verdict;

		if (feed->to.page != STREAM_END && feed->raw / page > feed->to.page)
			verdict = PAGE_BEHIND;
		else
			verdict = page_feed_judge(feed, bytes + same,
						  (uint32_t)(left < page ? left : page), ret_run);
		if (verdict != PAGE_AS_IT_IS && same) {
			/* It is examined again by the next call. */
			feed->missed = missed;
			break;
		}
		if (verdict == PAGE_BEHIND)
			return 0;
		feed->raw += page;
		if (verdict == PAGE_MADE)
			return 1;
		if (verdict == PAGE_SKIPPED)
			return 2;
		same += page;
	}
	*ret_run = (struct page_run){ .bytes = bytes, .size = same };
	return 1;
}

/* Returns all pages of the run. Returns 2 to continue. */
static int next_all(struct page_feed *feed, const uint8_t *bytes, size_t avail,
		    struct page_run *ret_run)
{
	size_t page = feed->layout->size, size = avail - avail % page;
	struct page_head head;

	if (size && feed->missed) {
		make_with_loss(feed, bytes, feed->missed, ret_run);
		feed->raw += page;
	} else if (size) {
		*ret_run = (struct page_run){ .bytes = bytes, .size = size };
		feed->raw += size;
	} else {
		head = page_head_read(feed->layout, bytes, (uint32_t)avail);
		feed->raw += page;
		if (!page_cut(feed->layout, bytes, (uint32_t)avail, 0, UINT32_MAX,
			      missed_sum(feed->missed, head.missed), feed->made))
			return 2;
		take_made(feed, 1, ret_run);
	}
	feed->missed = 0;
	return 1;
}

static int next_cached(struct page_feed *feed, struct page_run *ret_run)
{
	uint32_t page = feed->layout->size;
	const struct chunk_run *run;
	uint64_t in_run;
	int r;

	page_feed_skip_hole(feed);
	r = chunk_cache_get(&feed->cache, feed->of, feed->raw, &feed->chunk, &feed->run,
			    &feed->run_page);
	if (r != 1)
		return r;
	run = feed->run;
	feed->done = page_feed_is_plain(feed) ?
			     feed->raw :
			     feed->chunk.file + feed->chunk.packed - feed->offset;
	in_run = feed->raw - run->raw;
	if (in_run >= run->kept) {
		/* It could not be read, which was noted. */
		feed->missed = PAGE_MISSED_UNKNOWN;
		feed->raw += (run->size - in_run + page - 1) / page * page;
		return 2;
	}
	return feed->windowed ? page_feed_next_wanted(feed, run->data + in_run, run->kept - in_run,
						      ret_run) :
				next_all(feed, run->data + in_run, run->kept - in_run, ret_run);
}

int page_feed_next(struct page_feed *feed, struct page_run *ret_run)
{
	int r;

	if (page_feed_is_plain(feed) && !feed->windowed)
		return next_range(feed, ret_run);
	do {
		if (feed->raw == UINT64_MAX)
			return 0;
		r = next_cached(feed, ret_run);
	} while (r == 2);
	return r;
}
