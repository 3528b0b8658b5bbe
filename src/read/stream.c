/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/stream.h"

#include <string.h>

#include "base/block-ring.h"

static const uint8_t no_bytes[8];

void stream_init(struct stream *stream, const struct trace_stream *of)
{
	memset(stream, 0, sizeof(*stream));
	stream->of = of;
	stream->cpu = of->cpu->cpu;
	stream->buffer = of->number;
	stream->time_offset = (uint64_t)of->buffer->time.offset;
	stream->touched = UINT64_MAX;
	stream->past_page = UINT64_MAX;
}

void stream_forget_past(struct stream *stream)
{
	stream->n_past = 0;
	stream->past_page = UINT64_MAX;
	stream->past_more = false;
}

static bool is_mapped(const struct stream_pool *pool, const struct stream *stream)
{
	return pool->use_map && !stream->of->buffer->compressed;
}

static uint32_t stream_page_size(const struct stream *stream)
{
	uint32_t size = stream->of->buffer->layout.size;

	/* Ensured when the trace was opened. */
	if (!size)
		__builtin_unreachable();
	return size;
}

static int load_mapped(struct stream_pool *pool, struct stream *stream, uint64_t raw)
{
	const struct trace_cpu *cpu = stream->of->cpu;
	uint64_t offset = cpu->offset + raw, part = offset / SOURCE_TOUCH_SIZE;

	if (raw >= cpu->size)
		return 0;
	stream->page = pool->trace->source.map + offset;
	stream->avail = cpu->size - raw < stream_page_size(stream) ? (uint32_t)(cpu->size - raw) :
								     stream_page_size(stream);
	if (part != stream->touched) {
		source_touch(&pool->trace->source, offset, part == stream->touched + 1);
		stream->touched = part;
	}
	return 1;
}

static int load_fed(struct stream *stream, uint64_t page_no)
{
	const uint8_t *page = block_ring_get(stream->of->fed, page_no);

	if (!page)
		return 0;
	stream->page = page;
	stream->avail = stream_page_size(stream);
	return 1;
}

/* The first page available. */
static uint64_t stream_first_page(const struct stream *stream)
{
	return stream->of->fed ? stream->of->fed->first : 0;
}

int stream_load(struct stream_pool *pool, struct stream *stream, uint64_t page_no)
{
	uint64_t raw, left;
	int r;

	stream->loaded_no = page_no;
	if (__builtin_expect(stream->of->fed != NULL, 0))
		return load_fed(stream, page_no);
	if (__builtin_mul_overflow(page_no, stream_page_size(stream), &raw))
		return 0;
	if (is_mapped(pool, stream))
		return load_mapped(pool, stream, raw);
	r = chunk_cache_get(&pool->cache, stream->of, raw, &stream->chunk, &stream->run,
			    &stream->page);
	if (r != 1)
		return r;
	left = stream->run->raw + stream->run->kept;
	left = left > raw ? left - raw : 0;
	stream->page = left ? stream->run->data + (raw - stream->run->raw) : no_bytes;
	stream->avail = left < stream_page_size(stream) ? (uint32_t)left : stream_page_size(stream);
	return 1;
}

int stream_reload(struct stream_pool *pool, struct stream *stream)
{
	int r;

	if (stream->page)
		return 0;
	r = stream_load(pool, stream, stream->loaded_no);
	/* It existed before. If the file has shrunk, there is nothing to walk. */
	if (r == 0) {
		stream->page = no_bytes;
		stream->pos = stream->end = stream->data = stream->size = 0;
	}
	return r < 0 ? r : 0;
}

/*
 * Returns the location of the loaded page for a damage note; for compressed data, that of the
 * chunk.
 */
static uint64_t page_place(const struct stream *stream)
{
	if (stream->of->buffer->compressed)
		return stream->chunk.file;
	return stream->of->cpu->offset + stream->loaded_no * stream_page_size(stream);
}

struct page_head stream_head(struct stream_pool *pool, struct stream *stream)
{
	struct page_head head =
		page_head_read(&stream->of->buffer->layout, stream->page, stream->avail);

	if (head.too_long)
		damage_add(&pool->trace->file.damage, page_place(stream),
			   "page %llu of CPU %u is truncated, or its size is invalid",
			   (unsigned long long)stream->loaded_no, stream->cpu);
	return head;
}

int stream_first(struct stream *stream, const struct page_head *head, struct page_event *ret_event)
{
	struct page_iter it = {
		.time = head->time,
		.pos = stream->of->buffer->layout.data_offset,
		.end = head->end,
	};

	if (it.pos > it.end)
		return 0;
	return page_iter_next(&it, stream->page, stream->of->buffer->layout.big_endian, ret_event);
}

static void set_head(struct stream *stream, const struct page_event *event)
{
	stream->raw = event->time;
	stream->time = time_convert(&stream->of->buffer->time, stream->cpu, event->time);
	stream->data = event->data;
	stream->size = event->size;
	stream->pos = event->data + event->size;
	stream->ended = false;
}

static void note_bad_event(struct stream_pool *pool, struct stream *stream, uint32_t pos)
{
	damage_add(&pool->trace->file.damage, page_place(stream),
		   "page %llu of CPU %u is damaged at byte %u; its remaining events are missing",
		   (unsigned long long)stream->loaded_no, stream->cpu, pos);
}

/* A page that was never written: in a hole, or left by a crash. */
static bool stream_is_blank(const struct page_head *head)
{
	return !head->time && !head->missed && !head->too_long;
}

/* Returns the first page at @page_no or later that is not entirely a hole. */
static uint64_t next_written(struct stream_pool *pool, const struct stream *stream,
			     uint64_t page_no)
{
	const struct trace_cpu *cpu = stream->of->cpu;
	uint64_t at = page_no * stream_page_size(stream), data;

	if (stream->of->buffer->compressed || stream->of->fed || at >= cpu->size)
		return page_no;
	data = source_next_data(&pool->trace->source, cpu->offset + at);
	if (data >= cpu->offset + cpu->size)
		return (cpu->size + stream_page_size(stream) - 1) / stream_page_size(stream);
	return (data - cpu->offset) / stream_page_size(stream);
}

/* Returns where to continue after the blank page @page_no. */
static uint64_t stream_skip_hole(struct stream_pool *pool, const struct stream *stream,
				 uint64_t page_no)
{
	return next_written(pool, stream, page_no + 1);
}

/* In a sparse file, check before touching: touching a hole allocates zeroed pages. */
static uint64_t before_touch(struct stream_pool *pool, const struct stream *stream,
			     uint64_t page_no)
{
	return pool->trace->source.has_holes ? next_written(pool, stream, page_no) : page_no;
}

int stream_enter(struct stream_pool *pool, struct stream *stream, uint64_t page_no)
{
	uint64_t missed = 0;

	for (;;) {
		struct page_event event = { 0 };
		struct page_head head;
		int r;

		page_no = before_touch(pool, stream, page_no);
		r = stream_load(pool, stream, page_no);
		if (r < 0)
			return r;
		stream->page_no = page_no;
		if (r == 0) {
			stream->ended = true;
			stream->missed = 0;
			return 0;
		}
		head = stream_head(pool, stream);
		missed = missed_sum(missed, head.missed);
		r = stream_first(stream, &head, &event);
		if (r == 1) {
			set_head(stream, &event);
			stream->end = head.end;
			stream->missed = missed;
			return 1;
		}
		if (r < 0)
			note_bad_event(pool, stream, stream->of->buffer->layout.data_offset);
		page_no = r == 0 && stream_is_blank(&head) ?
				  stream_skip_hole(pool, stream, page_no) :
				  page_no + 1;
	}
}

/* Calls the trace's watch when @stream leaves a page. Returns whether the cursor ends here. */
static bool stream_watch(struct stream_pool *pool, const struct stream *stream)
{
	struct fathom_trace *trace = pool->trace;

	if (!trace->watch.page || pool->is_unwatched ||
	    !trace->watch.page(trace->watch.data, stream->time, stream_page_size(stream)) ||
	    pool->is_limited || (trace->is_cut && stream->time < trace->cut))
		return false;
	trace->is_cut = true;
	trace->cut = stream->time;
	pool->is_ended = true;
	return true;
}

int stream_step_rare(struct stream_pool *pool, struct stream *stream)
{
	struct page_iter it = { .time = stream->raw, .pos = stream->pos, .end = stream->end };
	struct page_event event = { 0 };
	int r = page_iter_next(&it, stream->page, stream->of->buffer->layout.big_endian, &event);

	if (r == 1) {
		set_head(stream, &event);
		stream->missed = 0;
		return 1;
	}
	if (r < 0)
		note_bad_event(pool, stream, it.pos);
	if (stream_watch(pool, stream)) {
		stream->ended = true;
		stream->missed = 0;
		return 0;
	}
	return stream_enter(pool, stream, stream->page_no + 1);
}

int stream_face_forward(struct stream_pool *pool, struct stream *stream)
{
	int r;

	if (stream->ended)
		return 0;
	r = stream_load(pool, stream, stream->page_no);
	if (r < 0)
		return r;
	if (r == 0) {
		stream->ended = true;
		return 0;
	}
	stream->end = page_head_read(&stream->of->buffer->layout, stream->page, stream->avail).end;
	return 0;
}

int stream_pages(struct stream_pool *pool, const struct stream *stream, uint64_t *ret_pages)
{
	uint64_t bytes = stream->of->cpu->size;
	int r = 0;

	if (stream->of->fed) {
		*ret_pages = stream->of->fed->end;
		return 0;
	}
	if (stream->of->buffer->compressed) {
		pthread_mutex_lock(&pool->trace->lock);
		r = chunk_index_size(stream->of->chunks, &pool->trace->source,
				     &pool->trace->file.damage, &bytes);
		pthread_mutex_unlock(&pool->trace->lock);
	}
	*ret_pages = bytes / stream_page_size(stream) + (bytes % stream_page_size(stream) != 0);
	return r;
}

/*
 * Reads the converted time at the start of page @page_no. Returns 1, or 0 for a page that was never
 * written. Reads a few bytes and maps nothing, because bisecting a file with a thousand CPUs
 * touches tens of thousands of places.
 */
static int peek_time(struct stream_pool *pool, struct stream *stream, uint64_t page_no,
		     uint64_t *ret_time)
{
	const struct page_layout *layout = &stream->of->buffer->layout;
	uint64_t raw = page_no * stream_page_size(stream);
	struct page_head head;
	uint8_t bytes[64];
	int r;

	if (!stream->of->buffer->compressed && !stream->of->fed &&
	    layout->data_offset <= sizeof(bytes)) {
		long got = source_read(&pool->trace->source, stream->of->cpu->offset + raw, bytes,
				       layout->data_offset);

		if (got < (long)layout->data_offset)
			return 0;
		head = page_head_read(layout, bytes, layout->data_offset);
		head.too_long = head.too_long && !head.time;
	} else {
		r = stream_load(pool, stream, page_no);
		if (r < 0)
			return r;
		if (r == 0)
			return 0;
		head = page_head_read(layout, stream->page, stream->avail);
	}
	if (!head.time && head.end <= layout->data_offset && !head.too_long)
		return 0;
	*ret_time = time_convert(&stream->of->buffer->time, stream->cpu, head.time);
	return 1;
}

/* Finds the first page that starts at @time or later; blank pages count as the page after them. */
static int find_page(struct stream_pool *pool, struct stream *stream, uint64_t time,
		     uint64_t *ret_page)
{
	uint64_t low = stream_first_page(stream), high, page_time = 0;
	int r = stream_pages(pool, stream, &high);

	while (r >= 0 && low < high) {
		uint64_t mid = low + (high - low) / 2, page = mid;

		while (page < high && (r = peek_time(pool, stream, page, &page_time)) == 0)
			page = stream_skip_hole(pool, stream, page);
		if (page >= high || page_time >= time)
			high = mid;
		else
			low = page + 1;
	}
	*ret_page = low;
	return r < 0 ? r : 0;
}

int stream_page_before(struct stream_pool *pool, struct stream *stream, uint64_t page_no,
		       uint64_t *ret_page)
{
	const struct trace_cpu *cpu = stream->of->cpu;
	uint64_t first = stream_first_page(stream), time, page = page_no, end;
	int r = 0;

	while (page > first && (r = peek_time(pool, stream, page - 1, &time)) == 0) {
		page--;
		if (stream->of->buffer->compressed || !page)
			continue;
		end = source_prev_data(&pool->trace->source, cpu->offset,
				       cpu->offset + page * stream_page_size(stream));
		page = end > cpu->offset ? (end - cpu->offset + stream_page_size(stream) - 1) /
						   stream_page_size(stream) :
					   0;
	}
	if (r < 0 || page <= first)
		return r < 0 ? r : 0;
	*ret_page = page - 1;
	return 1;
}

int stream_seek(struct stream_pool *pool, struct stream *stream, uint64_t time)
{
	uint64_t page = stream_first_page(stream);
	int r = 0;

	stream_forget_past(stream);
	if (time) {
		/* The page before that may contain events at @time or later. */
		r = find_page(pool, stream, time, &page);
		if (r == 0)
			r = stream_page_before(pool, stream, page, &page);
	}
	if (r >= 0)
		r = stream_enter(pool, stream, page);
	while (r == 1 && stream->time < time)
		r = stream_step(pool, stream, stream->of->buffer->layout.big_endian, false);
	return r;
}

int stream_seek_end(struct stream_pool *pool, struct stream *stream)
{
	uint64_t pages;
	int r = stream_pages(pool, stream, &pages);

	if (r < 0)
		return r;
	stream_forget_past(stream);
	stream->page_no = pages;
	stream->ended = true;
	return 0;
}
