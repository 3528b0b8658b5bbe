/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page decoder against libtraceevent's kbuffer, on every page of the golden
 * files and on generated ones.
 */
#include <kbuffer.h>

#include "events.h"
#include "format/page/page.h"
#include "golden.h"
#include "read/cursor.h"

static void compare_page(const struct page_layout *layout, const uint8_t *bytes, uint32_t size,
			 uint64_t *n_events)
{
	/* Some room after the page: kbuffer reads there if the page is damaged. */
	static uint8_t page[PAGE_SIZE_MAX + 4096];
	struct kbuffer *kbuf =
		kbuffer_alloc(layout->commit_size == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
			      layout->big_endian ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	struct page_head head = page_head_read(layout, bytes, size);
	struct page_iter it = { .time = head.time, .pos = layout->data_offset, .end = head.end };
	struct page_event event;
	unsigned long long time;
	bool first = true;
	void *data;

	assert_non_null(kbuf);
	memcpy(page, bytes, size);
	assert_int_equal(kbuffer_load_subbuffer(kbuf, page), 0);
	for (data = kbuffer_read_event(kbuf, &time); data;
	     data = kbuffer_next_event(kbuf, &time), first = false) {
		assert_int_equal(page_iter_next(&it, bytes, layout->big_endian, &event), 1);
		assert_true(event.time == time);
		assert_int_equal(event.data, (uint8_t *)data - page);
		assert_int_equal(event.size, kbuffer_event_size(kbuf));
		/* kbuffer reports losses only if the event is the first one of the page. */
		if (first && kbuffer_curr_index(kbuf) == 0)
			assert_true((long long)head.missed == kbuffer_missed_events(kbuf));
		++*n_events;
	}
	assert_int_equal(page_iter_next(&it, bytes, layout->big_endian, &event), 0);
	kbuffer_free(kbuf);
}

static void compare_trace(const char *path, uint64_t *n_events)
{
	struct fathom_trace *trace = open_or_fail(path, 0);
	struct fathom_cursor *cursor = cursor_or_fail(trace, NULL);

	for (size_t i = 0; i < cursor->n_streams; i++) {
		struct stream *stream = &cursor->streams[i];
		uint64_t pages;

		assert_int_equal(stream_pages(&cursor->pool, stream, &pages), 0);
		for (uint64_t p = 0; p < pages; p++) {
			assert_int_equal(stream_load(&cursor->pool, stream, p), 1);
			compare_page(&stream->of->buffer->layout, stream->page, stream->avail,
				     n_events);
		}
	}
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
}

static void every_golden_page(void **state)
{
	uint64_t n = 0;
	char *path;

	for (size_t i = 0; (path = golden_path(i)); i++) {
		compare_trace(path, &n);
		free(path);
	}
	print_message("%llu events\n", (unsigned long long)n);
	assert_true(n > 10000);
}

/* A page with random contents that a kernel could have written. */
static void generated_pages(void **state)
{
	static const uint32_t sizes[] = { 4096, 8192, 65536 };
	uint64_t seed = 2463534242ULL, n = 0;

	for (unsigned i = 0; i < 3000; i++) {
		struct page_layout layout = page_layout_default(i & 1 ? 4 : 8, sizes[i % 3], i & 2);
		uint64_t time = rnd(&seed);
		struct page_writer w;

		page_writer_init(&w, layout.size, layout.commit_size, layout.big_endian);
		if (i % 7 == 0)
			page_writer_lost(&w, i % 14 ? 5 : PAGE_WRITER_LOST_UNKNOWN);
		while (!w.pages.len) {
			uint64_t what = rnd(&seed);

			time += what % 16 ? what % 100000 : what % (1ULL << 40);
			if (what % 11 == 0)
				page_writer_stamp(&w,
						  w.page ? (time = w.time + what % 1000) : time);
			else if (what % 13 == 0)
				page_writer_discard(&w, time, 4 + (uint32_t)(what >> 32) % 100);
			else
				page_writer_event(&w, time, 7, 9,
						  8 + (uint32_t)(what >> 32) %
								  (what % 17 ? 60 : 2000));
			time = w.time;
		}
		compare_page(&layout, (uint8_t *)w.pages.s, layout.size, &n);
		page_writer_done(&w);
	}
	assert_true(n > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_golden_page),
		cmocka_unit_test(generated_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
