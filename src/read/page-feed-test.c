/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/page-feed.h"

#include <fcntl.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "base/mem.h"
#include "read/cursor.h"
#include "test.h"
#include "temp-file.h"
#include "trace-writer.h"

#define EVENTS 900

struct event {
	uint64_t time, missed;
	int32_t pid;
};

struct events {
	struct event list[EVENTS];
	size_t n;
};

/* One CPU; with @rough, losses, pages without events, and large time differences. */
static int make(const struct trace_config *config, bool rough)
{
	struct trace_writer *w = trace_writer_new(config);
	struct page_writer *p = w ? trace_writer_cpu(w, 0, 0) : NULL;
	uint64_t time = 1000;
	int r = p ? 0 : -ENOMEM;

	for (int i = 0; i < EVENTS && p; i++) {
		time += rough && i % 50 == 49 ? 1ULL << 34 : 10;
		if (rough && i % 200 == 150)
			page_writer_lost(p, (uint64_t)i);
		if (rough && i % 300 == 150)
			page_writer_empty_page(p, time);
		if (rough && i % 300 == 151)
			page_writer_lost(p, i % 2 ? PAGE_WRITER_LOST_UNKNOWN : 7);
		page_writer_event(p, time, 1, i, 16 + (i % 9) * 4);
	}
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

/*
 * Adds the events of @run as a reader sees them; @missed: lost according to pages without events.
 */
static void decode(const struct page_feed *feed, const struct page_run *run, uint64_t *missed,
		   struct events *events)
{
	const struct page_layout *layout = feed->layout;

	assert_int_equal(run->size % layout->size, 0);
	for (size_t at = 0; at < run->size; at += layout->size) {
		const uint8_t *page = run->bytes + at;
		struct page_head head = page_head_read(layout, page, layout->size);
		struct page_iter it = { .time = head.time,
					.pos = layout->data_offset,
					.end = head.end };
		struct page_event event;
		int r;

		*missed = missed_sum(*missed, head.missed);
		while ((r = page_iter_next(&it, page, layout->big_endian, &event)) == 1) {
			assert_true(events->n < EVENTS);
			events->list[events->n++] = (struct event){
				.time = event.time,
				.missed = *missed,
				.pid = (int32_t)load_u32(page + event.data + 4, layout->big_endian),
			};
			*missed = 0;
		}
		assert_int_equal(r, 0);
		assert_false(head.too_long);
	}
}

/* Reads everything from the feed. */
static int drain(struct page_feed *feed, struct events *events)
{
	uint64_t missed = 0;
	struct page_run run;
	int r;

	events->n = 0;
	while ((r = page_feed_next(feed, &run)) == 1) {
		_cleanup_free_ uint8_t *copy = NULL;

		if (!run.bytes) {
			copy = mem_alloc(run.size);
			if (!copy)
				return -ENOMEM;
			assert_int_equal(pread(feed->fd, copy, run.size, (off_t)run.offset),
					 run.size);
			run.bytes = copy;
		}
		decode(feed, &run, &missed, events);
	}
	return r;
}

static int read_cursor(struct fathom_cursor *cursor, struct events *events)
{
	struct fathom_event event;
	int r;

	events->n = 0;
	while ((r = fathom_cursor_next(cursor, &event)) == 1) {
		assert_true(events->n < EVENTS);
		events->list[events->n++] = (struct event){ event.time, event.missed, event.pid };
	}
	return r;
}

static void same(const struct events *all, size_t from, size_t to, const struct events *part)
{
	assert_int_equal(part->n, to - from);
	for (size_t i = from; i < to; i++) {
		const struct event *a = &all->list[i], *b = &part->list[i - from];

		assert_true(a->time == b->time);
		assert_int_equal(a->pid, b->pid);
		if (a->missed != b->missed)
			fail_msg("event %zu: %llu were lost, not %llu", i,
				 (unsigned long long)a->missed, (unsigned long long)b->missed);
	}
}

static int feed_all(struct fathom_trace *trace, struct events *events)
{
	struct page_feed feed;
	int r = page_feed_init(&feed, trace, &trace->streams[0], NULL, NULL);

	if (r == 0)
		r = drain(&feed, events);
	page_feed_done(&feed);
	return r;
}

/* The parts between marks at every @step-th event add up to the whole, and each one is correct. */
static int feed_parts(struct fathom_trace *trace, struct fathom_cursor *cursor,
		      const struct events *all, size_t step)
{
	struct stream_mark from, to;
	struct fathom_event event;
	int r = fathom_cursor_first(cursor);

	if (r == 0)
		r = cursor_get_marks(cursor, &from);
	for (size_t at = 0; at <= all->n && r == 0; at += step) {
		size_t end = at + step < all->n ? at + step : all->n;
		struct events part;
		struct page_feed feed;

		/* As if continuing where another cursor stopped. */
		r = cursor_set_marks(cursor, &from);
		for (size_t i = at; i < end && r == 0; i++) {
			r = fathom_cursor_next(cursor, &event);
			r = r == 1 ? 0 : r < 0 ? r : -ENODATA;
		}
		if (r == 0)
			r = cursor_get_marks(cursor, &to);
		if (r < 0)
			break;
		r = page_feed_init(&feed, trace, &trace->streams[0], &from, &to);
		if (r == 0)
			r = drain(&feed, &part);
		page_feed_done(&feed);
		if (r == 0)
			same(all, at, end, &part);
		from = to;
	}
	return r;
}

static int feed_everything(void *arg)
{
	const size_t *step = arg;
	struct fathom_cursor *cursor;
	struct fathom_trace *trace;
	struct events all, fed;
	int r = fathom_trace_open(temp_path, FATHOM_OPEN_RAW_TIME, &trace, NULL);

	if (r < 0)
		return r;
	r = fathom_cursor_new(trace, NULL, &cursor, NULL);
	if (r == 0) {
		r = read_cursor(cursor, &all);
		if (r == 0)
			r = feed_all(trace, &fed);
		if (r == 0) {
			same(&all, 0, all.n, &fed);
			r = feed_parts(trace, cursor, &all, *step);
		}
		fathom_cursor_free(cursor);
	}
	fathom_trace_free(trace);
	return r;
}

static const struct trace_config configs[] = {
	{ .version = 6 },
	{ .version = 7, .compression = COMPRESSION_ZSTD, .chunk_pages = 2 },
	{ .version = 7, .big_endian = true, .long_size = 4, .page_size = 1024 },
};

static void returns_events_between_marks(void **state)
{
	static const size_t steps[] = { 77, EVENTS };

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++)
		for (size_t k = 0; k < ARRAY_SIZE(steps) && make(&configs[i], true) == 0; k++) {
			size_t step = steps[k];
			int r = feed_everything(&step);

			assert_true(r == 0 || r == -ENOMEM);
		}
}

static void survives_failing_allocations(void **state)
{
	size_t step = 400;

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++)
		if (succeeds(make(&configs[i], true) == 0))
			oom_check(feed_everything, &step);
}

/* The page after a chunk that cannot be decompressed reports a loss. */
static void reports_unreadable_pages(void **state)
{
	struct fathom_trace *trace;
	struct events all, fed;
	int fd;

	require(make(&configs[1], false) >= 0 &&
		fathom_trace_open(temp_path, 0, &trace, NULL) >= 0);
	if (succeeds(feed_all(trace, &all) == 0)) {
		uint64_t at = trace->streams[0].cpu->offset;
		uint8_t head[4] = { 0 };

		/* The first bytes of the second chunk. */
		fd = open(temp_path, O_RDWR | O_CLOEXEC);
		assert_int_equal(pread(fd, head, 4, (off_t)at + 4), 4);
		at += 4 + 8 + load_u32(head, false) + 8;
		assert_int_equal(pwrite(fd, "bad!", 4, (off_t)at), 4);
		close(fd);
		if (succeeds(feed_all(trace, &fed) == 0)) {
			size_t gap = all.n - fed.n, first = 0;

			assert_true(gap && fed.n > 100);
			while (first < fed.n && fed.list[first].pid == all.list[first].pid)
				first++;
			assert_true(fed.list[first].missed == PAGE_MISSED_UNKNOWN);
			assert_int_equal(fed.list[first].pid, all.list[first + gap].pid);
			assert_true(fathom_trace_damage_count(trace) == 1);
		}
	}
	fathom_trace_free(trace);
}

/* Feeds a file that consists of pages, @size bytes of it. Returns the number of events. */
static size_t feed_file(const struct page_layout *layout, uint64_t size)
{
	int fd = open(temp_path, O_RDONLY | O_CLOEXEC);
	struct events events = { 0 };
	struct page_feed feed;

	if (page_feed_init_file(&feed, fd, size, layout) < 0 || drain(&feed, &events) < 0)
		events.n = SIZE_MAX;
	page_feed_done(&feed);
	close(fd);
	return events.n;
}

static void reads_a_file_of_pages(void **state)
{
	struct page_layout layout = page_layout_default(8, 4096, false);
	struct page_writer w;
	int fd = open(temp_path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	page_writer_init(&w, 4096, 8, false);
	for (int i = 0; i < 400; i++)
		page_writer_event(&w, 100 + (uint64_t)i, 1, i, 24);
	page_writer_close_page(&w);
	if (succeeds(!w.pages.err && w.pages.s)) {
		size_t size = w.pages.len, n;

		/* A hole of two pages after the first one. */
		assert_int_equal(size, 3 * 4096);
		assert_int_equal(pwrite(fd, w.pages.s, 4096, 0), 4096);
		assert_int_equal(pwrite(fd, w.pages.s + 4096, size - 4096, 3 * 4096), size - 4096);
		n = feed_file(&layout, 5 * 4096);
		assert_true(n == 400 || n == SIZE_MAX);
		n = feed_file(&layout, 5 * 4096 - 3000);
		assert_true((n > 300 && n < 400) || n == SIZE_MAX);
		n = feed_file(&layout, 4096 + 10);
		assert_true(n == feed_file(&layout, 4096) || n == SIZE_MAX);
		assert_int_equal(feed_file(&layout, 0), 0);
	}
	close(fd);
	page_writer_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_events_between_marks),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(reports_unreadable_pages),
		cmocka_unit_test(reads_a_file_of_pages),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
