/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moving forward is the hot path: step the stream of the event delivered last, and find the stream
 * that is next, usually the same one. It is compiled once for each byte order, and separately for
 * times that need no conversion.
 */
#include "read/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "read/stream-back.h"

static bool listed_u32(const uint32_t *list, size_t n, uint32_t value)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return !list;
}

static bool listed_u16(const uint16_t *list, size_t n, uint16_t value)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == value)
			return true;
	return !list;
}

static int cursor_by_pid(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int add_streams(struct fathom_cursor *cursor, struct fathom_trace *trace,
		       const struct fathom_window *window)
{
	size_t n = 0;

	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < trace->n_streams; i++) {
			const struct trace_stream *of = &trace->streams[i];

			if (!listed_u32(window->cpus, window->n_cpus, of->cpu->cpu) ||
			    !listed_u16(window->buffers, window->n_buffers, of->number))
				continue;
			if (!pass)
				n++;
			else
				stream_init(&cursor->streams[cursor->n_streams++], of);
		}
		if (pass)
			break;
		cursor->streams = mem_zalloc(n, sizeof(*cursor->streams));
		cursor->keys = mem_zalloc(n, sizeof(*cursor->keys));
		if (!cursor->streams || !cursor->keys)
			return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		cursor->plain &= time_convert_is_plain(&cursor->streams[i].of->buffer->time);
	return merge_init(&cursor->merge, n);
}

static int cursor_set_up(struct fathom_cursor *cursor, struct fathom_trace *trace,
			 const struct fathom_window *window)
{
	int r;

	cursor->pool.trace = trace;
	cursor->common = trace->common;
	cursor->from = window->from;
	cursor->to = window->to;
	cursor->pool.is_limited = trace->is_cut;
	if (trace->is_cut && cursor->to > trace->cut)
		cursor->to = trace->cut;
	cursor->big = trace->file.big_endian;
	cursor->plain = true;
	if (window->pids) {
		cursor->pids = mem_zalloc(window->n_pids, sizeof(*cursor->pids));
		if (!cursor->pids)
			return -ENOMEM;
		if (window->n_pids)
			memcpy(cursor->pids, window->pids, window->n_pids * sizeof(*cursor->pids));
		cursor->n_pids = window->n_pids;
		qsort(cursor->pids, cursor->n_pids, sizeof(*cursor->pids), cursor_by_pid);
	}
	r = add_streams(cursor, trace, window);
	chunk_cache_init(&cursor->pool.cache, trace, cursor->n_streams);
	cursor->pool.use_map = trace->source.map && cursor->n_streams <= STREAMS_MAPPED_MAX;
	return r < 0 ? r : fathom_cursor_first(cursor);
}

int fathom_cursor_new(struct fathom_trace *trace, const struct fathom_window *window,
		      struct fathom_cursor **ret_cursor, struct fathom_err *err)
{
	static const struct fathom_window all = FATHOM_WINDOW_ALL;
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor =
		mem_zalloc(1, sizeof(*cursor));

	if (!cursor || cursor_set_up(cursor, trace, window ?: &all) < 0)
		return err_nomem(err);
	*ret_cursor = TAKE_PTR(cursor);
	return 0;
}

void fathom_cursor_free(struct fathom_cursor *cursor)
{
	if (!cursor)
		return;
	chunk_cache_done(&cursor->pool.cache);
	merge_done(&cursor->merge);
	free(cursor->streams);
	free(cursor->keys);
	free(cursor->pids);
	free(cursor->past);
	free(cursor);
}

/* After any failure, the streams are at inconsistent positions. */
static int cursor_lose(struct fathom_cursor *cursor, int r)
{
	cursor->way = CURSOR_LOST;
	cursor->taken = false;
	return r;
}

/* Backwards, everything is inverted: the last stream is the first leaf. */
static uint32_t leaf_of(const struct fathom_cursor *cursor, const struct stream *stream)
{
	uint32_t number = (uint32_t)(stream - cursor->streams);

	return cursor->way == CURSOR_BACK ? (uint32_t)cursor->n_streams - 1 - number : number;
}

/* Makes the winner of the tree the next stream. */
static inline void set_top(struct fathom_cursor *cursor)
{
	uint32_t leaf = cursor->merge.nodes[0].number;

	if (__builtin_expect(leaf & MERGE_NONE, 0))
		cursor->top = NULL;
	else if (cursor->way == CURSOR_BACK)
		cursor->top = &cursor->streams[cursor->n_streams - 1 - leaf];
	else
		cursor->top = &cursor->streams[leaf];
}

static inline struct merge_key forward_key(const struct fathom_cursor *cursor,
					   const struct stream *stream, bool has_head)
{
	uint32_t leaf = (uint32_t)(stream - cursor->streams);

	if (__builtin_expect(!has_head || stream->time > cursor->to, 0))
		return merge_end_key(leaf);
	return (struct merge_key){ .time = stream->time, .number = leaf };
}

static int back_key(struct fathom_cursor *cursor, struct stream *stream, struct merge_key *ret_key)
{
	uint32_t leaf = leaf_of(cursor, stream);
	uint64_t time;
	int r = stream_peek_back(&cursor->pool, stream, &time);

	if (r < 0)
		return r;
	*ret_key = r == 0 || time < cursor->from ?
			   merge_end_key(leaf) :
			   (struct merge_key){ .time = ~time, .number = leaf };
	return 0;
}

/* Collects the keys of all streams and replays all matches. */
static int cursor_build(struct fathom_cursor *cursor)
{
	for (size_t i = 0; i < cursor->n_streams; i++) {
		struct stream *stream = &cursor->streams[i];
		struct merge_key *key = &cursor->keys[leaf_of(cursor, stream)];
		int r = 0;

		if (cursor->way == CURSOR_BACK)
			r = back_key(cursor, stream, key);
		else
			*key = forward_key(cursor, stream, !stream->ended);
		if (r < 0)
			return r;
	}
	merge_build(&cursor->merge, cursor->keys, cursor->n_streams);
	set_top(cursor);
	return 0;
}

/* Allocates space for the events that streams remember. */
static int make_past(struct fathom_cursor *cursor)
{
	size_t each = CURSOR_PAST_MAX / sizeof(*cursor->past) / (cursor->n_streams + 1);

	if (cursor->past)
		return 0;
	each = each < 4 ? 4 : each > 256 ? 256 : each;
	cursor->past = mem_zalloc(cursor->n_streams * each, sizeof(*cursor->past));
	if (!cursor->past)
		return -ENOMEM;
	cursor->pool.past_max = (uint32_t)each;
	for (size_t i = 0; i < cursor->n_streams; i++)
		cursor->streams[i].past = cursor->past + i * each;
	return 0;
}

static int face_back(struct fathom_cursor *cursor)
{
	int r = make_past(cursor);

	/* The event delivered last is now before the cursor. */
	if (r == 0 && cursor->taken && cursor->top) {
		r = stream_reload(&cursor->pool, cursor->top);
		if (r == 0)
			r = stream_step(&cursor->pool, cursor->top, cursor->big, false);
	}
	for (size_t i = 0; i < cursor->n_streams; i++)
		stream_forget_past(&cursor->streams[i]);
	return r < 0 ? r : 0;
}

int cursor_face(struct fathom_cursor *cursor, enum cursor_way way)
{
	int r = 0;

	if (cursor->way == CURSOR_LOST)
		return -ESTALE;
	if (way == CURSOR_BACK)
		r = face_back(cursor);
	else
		for (size_t i = 0; i < cursor->n_streams && r == 0; i++)
			r = stream_face_forward(&cursor->pool, &cursor->streams[i]);
	cursor->way = way;
	cursor->taken = false;
	if (r == 0)
		r = cursor_build(cursor);
	return r < 0 ? cursor_lose(cursor, r) : 0;
}

/* Fills @ret_event from the head of @stream, whose page must be loaded. */
static inline void deliver(const struct fathom_cursor *cursor, const struct stream *stream,
			   bool big, struct fathom_event *ret_event)
{
	const uint8_t *data = stream->page + stream->data;
	const struct common_fields *common = &cursor->common;

	ret_event->time = stream->time;
	ret_event->data = data;
	ret_event->missed = stream->missed;
	ret_event->size = stream->size;
	ret_event->cpu = stream->cpu;
	ret_event->buffer = stream->buffer;
	if (__builtin_expect(stream->size >= common->end, 1)) {
		ret_event->pid = (int32_t)load_u32(data + common->pid, big);
		ret_event->id = load_u16(data + common->type, big);
	} else {
		ret_event->pid = -1;
		ret_event->id =
			stream->size >= common->type + 2 ? load_u16(data + common->type, big) : 0;
	}
}

/*
 * Returns whether the event is delivered. A filtered event is replaced by the loss before it, if
 * any.
 */
static bool cursor_shown(const struct fathom_cursor *cursor, struct fathom_event *event)
{
	if (bsearch(&event->pid, cursor->pids, cursor->n_pids, sizeof(*cursor->pids),
		    cursor_by_pid))
		return true;
	if (!event->missed)
		return false;
	event->data = NULL;
	event->size = 0;
	event->pid = -1;
	event->id = 0;
	return true;
}

/* Steps the top stream past the event delivered last, and finds the next one. */
static inline __attribute__((always_inline)) int step_top(struct fathom_cursor *cursor, bool big,
							  bool plain)
{
	struct stream *stream = cursor->top;
	struct merge_key key;
	int r;

	/* The delivered event came from this stream. */
	if (!stream)
		__builtin_unreachable();
	r = stream_step(&cursor->pool, stream, big, plain);
	if (__builtin_expect(r <= 0, 0)) {
		if (r < 0)
			return cursor_lose(cursor, r);
		if (cursor->pool.is_ended) {
			cursor->top = NULL;
			return 0;
		}
	}
	key = forward_key(cursor, stream, r == 1);
	if (__builtin_expect(merge_before(key, cursor->merge.second), 1)) {
		cursor->merge.nodes[0] = key;
		return 0;
	}
	merge_update(&cursor->merge, (uint32_t)(stream - cursor->streams), key);
	set_top(cursor);
	return 0;
}

static inline __attribute__((always_inline)) int
cursor_next(struct fathom_cursor *cursor, bool big, bool plain, struct fathom_event *ret_event)
{
	do {
		if (__builtin_expect(cursor->taken, 1)) {
			int r = step_top(cursor, big, plain);

			if (__builtin_expect(r < 0, 0))
				return r;
		}
		cursor->taken = cursor->top != NULL;
		if (__builtin_expect(!cursor->top, 0))
			return 0;
		if (__builtin_expect(!cursor->top->page, 0)) {
			int r = stream_reload(&cursor->pool, cursor->top);

			if (r < 0)
				return cursor_lose(cursor, r);
		}
		deliver(cursor, cursor->top, big, ret_event);
	} while (__builtin_expect(cursor->pids != NULL, 0) && !cursor_shown(cursor, ret_event));
	return 1;
}

int fathom_cursor_next(struct fathom_cursor *cursor, struct fathom_event *ret_event)
{
	if (__builtin_expect(cursor->way != CURSOR_FORWARD, 0)) {
		int r = cursor_face(cursor, CURSOR_FORWARD);

		if (r < 0)
			return r;
	}
	if (__builtin_expect(!cursor->plain, 0))
		return cursor_next(cursor, cursor->big, false, ret_event);
	return cursor->big ? cursor_next(cursor, true, true, ret_event) :
			     cursor_next(cursor, false, true, ret_event);
}

int cursor_resume(struct fathom_cursor *cursor, uint64_t to)
{
	int r = cursor->way == CURSOR_FORWARD ? 0 : cursor_face(cursor, CURSOR_FORWARD);

	/* Don't deliver the last event again. */
	if (r == 0 && cursor->taken && cursor->top) {
		r = stream_reload(&cursor->pool, cursor->top);
		if (r == 0)
			r = stream_step(&cursor->pool, cursor->top, cursor->big, false);
	}
	cursor->taken = false;
	for (size_t i = 0; i < cursor->n_streams && r >= 0; i++)
		if (cursor->streams[i].ended)
			r = stream_enter(&cursor->pool, &cursor->streams[i],
					 cursor->streams[i].page_no);
	cursor->to = to;
	if (r >= 0)
		r = cursor_build(cursor);
	return r < 0 ? cursor_lose(cursor, r) : 0;
}

bool cursor_at_page_start(struct fathom_cursor *cursor)
{
	struct stream *stream = cursor->top;
	struct page_event first;
	struct page_head head;

	if (cursor->way != CURSOR_FORWARD || !cursor->taken || !stream || !stream->page)
		return false;
	head = stream_head(&cursor->pool, stream);
	return stream_first(stream, &head, &first) == 1 && first.data == stream->data;
}

static size_t stream_number(const struct fathom_cursor *cursor, const struct stream *stream)
{
	return (size_t)(stream->of - cursor->pool.trace->streams);
}

int cursor_get_marks(struct fathom_cursor *cursor, struct stream_mark *marks)
{
	int r = cursor->way == CURSOR_FORWARD ? 0 : cursor_face(cursor, CURSOR_FORWARD);

	if (r == 0 && cursor->taken) {
		r = stream_reload(&cursor->pool, cursor->top);
		if (r == 0)
			r = step_top(cursor, cursor->big, false);
		cursor->taken = false;
	}
	if (r < 0)
		return cursor_lose(cursor, r);
	for (size_t i = 0; i < cursor->n_streams; i++) {
		const struct stream *stream = &cursor->streams[i];
		struct stream_mark *mark = &marks[stream_number(cursor, stream)];

		*mark = (struct stream_mark){ .page = STREAM_END };
		if (!stream->ended)
			*mark = (struct stream_mark){ .page = stream->page_no,
						      .missed = stream->missed,
						      .data = stream->data };
	}
	return 0;
}

static int set_mark(struct fathom_cursor *cursor, struct stream *stream,
		    const struct stream_mark *mark)
{
	int r;

	stream_forget_past(stream);
	if (mark->page == STREAM_END)
		return stream_seek_end(&cursor->pool, stream);
	r = stream_enter(&cursor->pool, stream, mark->page);
	while (r == 1 && stream->page_no == mark->page && stream->data < mark->data)
		r = stream_step(&cursor->pool, stream, cursor->big, false);
	/* Losses before the event are known only when coming from earlier pages. */
	if (r == 1 && stream->page_no == mark->page && stream->data == mark->data)
		stream->missed = mark->missed;
	return r < 0 ? r : 0;
}

int cursor_set_marks(struct fathom_cursor *cursor, const struct stream_mark *marks)
{
	int r = 0;

	for (size_t i = 0; i < cursor->n_streams && r == 0; i++)
		r = set_mark(cursor, &cursor->streams[i],
			     &marks[stream_number(cursor, &cursor->streams[i])]);
	cursor->way = CURSOR_FORWARD;
	cursor->taken = false;
	if (r == 0)
		r = cursor_build(cursor);
	return r < 0 ? cursor_lose(cursor, r) : 0;
}

bool cursor_place(struct fathom_cursor *cursor, struct cursor_place *ret_place)
{
	const struct stream *stream = cursor->top;
	const struct page_layout *layout;
	uint64_t start;

	if (cursor->way != CURSOR_FORWARD || !cursor->taken || !stream || !stream->page)
		return false;
	layout = &stream->of->buffer->layout;
	start = stream->of->chunks ? 0 : stream->of->cpu->offset;
	*ret_place = (struct cursor_place){
		.page = stream->page,
		.page_time = page_head_read(layout, stream->page, stream->avail).time,
		.page_offset = start + stream->page_no * layout->size,
		.time = stream->raw,
		/* Events larger than this have a length between header and payload. */
		.header = stream->data - (stream->size > PAGE_SMALL_MAX ? 8 : 4),
		.next = stream->pos,
		.end = stream->end,
		.big_endian = layout->big_endian,
	};
	return true;
}

/* Makes the event before the head of the top stream its head. */
static int step_top_back(struct fathom_cursor *cursor)
{
	struct merge_key key;
	int r = 0;

	if (cursor->taken) {
		/* It was the head since it was delivered; find the event before it. */
		r = back_key(cursor, cursor->top, &key);
		if (r < 0)
			return r;
		merge_update(&cursor->merge, leaf_of(cursor, cursor->top), key);
		set_top(cursor);
	}
	cursor->taken = cursor->top != NULL;
	if (!cursor->top)
		return 0;
	r = stream_step_back(&cursor->pool, cursor->top);
	if (r == 0)
		r = stream_reload(&cursor->pool, cursor->top);
	return r < 0 ? r : 1;
}

int fathom_cursor_prev(struct fathom_cursor *cursor, struct fathom_event *ret_event)
{
	int r;

	if (cursor->way != CURSOR_BACK) {
		r = cursor_face(cursor, CURSOR_BACK);
		if (r < 0)
			return r;
	}
	do {
		r = step_top_back(cursor);
		if (r <= 0)
			return r < 0 ? cursor_lose(cursor, r) : 0;
		deliver(cursor, cursor->top, cursor->big, ret_event);
	} while (cursor->pids && !cursor_shown(cursor, ret_event));
	return 1;
}

int fathom_cursor_seek(struct fathom_cursor *cursor, uint64_t time)
{
	int r = 0;

	if (time > cursor->to)
		return fathom_cursor_last(cursor, 0, NULL);
	if (time < cursor->from)
		time = cursor->from;
	for (size_t i = 0; i < cursor->n_streams && r >= 0; i++)
		r = stream_seek(&cursor->pool, &cursor->streams[i], time);
	cursor->way = CURSOR_FORWARD;
	cursor->taken = false;
	if (r >= 0)
		r = cursor_build(cursor);
	return r < 0 ? cursor_lose(cursor, r) : 0;
}

int fathom_cursor_first(struct fathom_cursor *cursor)
{
	return fathom_cursor_seek(cursor, cursor->from);
}

/* Moves to the end of the window, from where only stepping back is possible. */
static int seek_end(struct fathom_cursor *cursor)
{
	int r = 0;

	for (size_t i = 0; i < cursor->n_streams && r >= 0; i++)
		r = cursor->to == UINT64_MAX ?
			    stream_seek_end(&cursor->pool, &cursor->streams[i]) :
			    stream_seek(&cursor->pool, &cursor->streams[i], cursor->to + 1);
	cursor->way = CURSOR_FORWARD;
	cursor->taken = false;
	if (r >= 0)
		r = cursor_build(cursor);
	return r < 0 ? cursor_lose(cursor, r) : 0;
}

int fathom_cursor_last(struct fathom_cursor *cursor, uint64_t n, uint64_t *ret_n)
{
	struct fathom_event event;
	uint64_t done = 0;
	int r = seek_end(cursor);

	while (r >= 0 && done < n) {
		r = fathom_cursor_prev(cursor, &event);
		if (r <= 0)
			break;
		done++;
	}
	if (r < 0)
		return r;
	if (ret_n)
		*ret_n = done;
	return 0;
}
