/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps use the remembered events of a page. When none are left, that page is decoded again, or the
 * previous one.
 */
#include "read/stream-back.h"

/*
 * Decodes page @page_no and remembers the last events with a payload before @limit; none if n_past
 * is 0 afterwards. Returns 0 or -ENOMEM.
 */
static int stream_back_remember(struct stream_pool *pool, struct stream *stream, uint64_t page_no,
				uint32_t limit)
{
	const struct page_layout *layout = &stream->of->buffer->layout;
	uint32_t max = pool->past_max, n = 0;
	struct page_event event = { 0 };
	struct page_head head;
	struct page_iter it;
	int r = stream_load(pool, stream, page_no);

	stream->past_page = page_no;
	stream->n_past = 0;
	stream->past_more = false;
	if (r <= 0)
		return r;
	head = stream_head(pool, stream);
	it = (struct page_iter){ .time = head.time, .pos = layout->data_offset, .end = head.end };
	if (it.pos > it.end)
		return 0;
	/* A ring of the newest @max events; past_turn is the index of the oldest. */
	while (page_iter_next(&it, stream->page, layout->big_endian, &event) == 1 &&
	       event.data < limit)
		stream->past[n++ % max] = (struct stream_past){
			.raw = event.time,
			.data = event.data,
			.size = event.size,
		};
	stream->past_more = n > max;
	stream->n_past = n < max ? n : max;
	stream->past_turn = n > max ? n % max : 0;
	return 0;
}

static struct stream_past *nearest_past(struct stream_pool *pool, struct stream *stream)
{
	return &stream->past[(stream->past_turn + stream->n_past - 1) % pool->past_max];
}

/* Finds the events before the head: earlier ones of its page, or those of previous pages. */
static int refill(struct stream_pool *pool, struct stream *stream)
{
	bool in_past_page = stream->past_page != UINT64_MAX;
	uint64_t page = in_past_page ? stream->past_page : stream->page_no;
	int r;

	/* The head's page, up to the head; at the end of the stream there is no such page. */
	if (!stream->ended && (!in_past_page || (stream->past_more && page == stream->page_no))) {
		r = stream_back_remember(pool, stream, stream->page_no, stream->data);
		if (r < 0 || stream->n_past)
			return r;
		page = stream->page_no;
	}
	while (page) {
		r = stream_page_before(pool, stream, page, &page);
		if (r <= 0)
			return r;
		r = stream_back_remember(pool, stream, page, UINT32_MAX);
		if (r < 0 || stream->n_past)
			return r;
	}
	return 0;
}

int stream_peek_back(struct stream_pool *pool, struct stream *stream, uint64_t *ret_time)
{
	int r;

	if (!stream->n_past) {
		r = refill(pool, stream);
		if (r < 0)
			return r;
	}
	if (!stream->n_past)
		return 0;
	*ret_time = time_convert(&stream->of->buffer->time, stream->cpu,
				 nearest_past(pool, stream)->raw);
	return 1;
}

/*
 * Returns the events lost before the first event of @page_no, including those reported by pages
 * without events.
 */
static int missed_before(struct stream_pool *pool, struct stream *stream, uint64_t page_no,
			 uint64_t *ret_missed)
{
	uint64_t missed = stream_head(pool, stream).missed, page = page_no;
	int r = 0;

	while (page && (r = stream_page_before(pool, stream, page, &page)) == 1) {
		struct page_event event;
		struct page_head head;

		r = stream_load(pool, stream, page);
		if (r < 0)
			return r;
		if (r == 0)
			break;
		head = stream_head(pool, stream);
		if (stream_first(stream, &head, &event) == 1)
			break;
		missed = missed_sum(missed, head.missed);
	}
	if (r < 0)
		return r;
	*ret_missed = missed;
	r = stream_load(pool, stream, page_no);
	return r < 0 ? r : 0;
}

int stream_step_back(struct stream_pool *pool, struct stream *stream)
{
	struct stream_past *past = nearest_past(pool, stream);
	uint64_t missed = 0;
	int r = 0;

	if (stream->n_past == 1 && !stream->past_more) {
		r = stream_reload(pool, stream);
		if (r == 0)
			r = missed_before(pool, stream, stream->past_page, &missed);
	}
	if (r < 0)
		return r;
	stream->page_no = stream->past_page;
	stream->raw = past->raw;
	stream->time = time_convert(&stream->of->buffer->time, stream->cpu, past->raw);
	stream->data = past->data;
	stream->size = past->size;
	stream->pos = past->data + past->size;
	stream->missed = missed;
	stream->ended = false;
	stream->n_past--;
	return 0;
}
