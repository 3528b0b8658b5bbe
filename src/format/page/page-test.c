/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "format/page/page.h"
#include "page-writer.h"

static const char header_64[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char header_32[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				"\tfield: char data;\toffset:12;\tsize:65524;\tsigned:0;";

static void reads_the_layout(void **state)
{
	struct page_layout layout;

	assert_int_equal(page_layout_parse(header_64, strlen(header_64), false, &layout, NULL), 0);
	assert_int_equal(layout.size, 4096);
	assert_int_equal(layout.commit_size, 8);
	assert_int_equal(layout.data_offset, 16);
	assert_int_equal(page_layout_parse(header_32, strlen(header_32), true, &layout, NULL), 0);
	assert_int_equal(layout.size, 65536);
	assert_int_equal(layout.commit_size, 4);
	assert_int_equal(layout.data_offset, 12);
	assert_true(layout.big_endian);
}

static void rejects_an_impossible_layout(void **state)
{
	static const char *const bad[] = {
		"",
		"field: u64 timestamp; offset:0; size:8;",
		"field: u64 timestamp; offset:0; size:4;\nfield: local_t commit; offset:8; size:8;\n"
		"field: char data; offset:16; size:4080;",
		"field: u64 timestamp; offset:0; size:8;\nfield: local_t commit; offset:8; size:8;\n"
		"field: char data; offset:4; size:4080;",
		"field: u64 timestamp; offset:0; size:8;\nfield: local_t commit; offset:8; size:8;\n"
		"field: char data; offset:16; size:999999999;",
		"field: u64 timestamp; offset:;size:;\nfield: commit;\nfield: data;",
	};
	struct page_layout layout;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(page_layout_parse(bad[i], strlen(bad[i]), false, &layout, NULL),
				 -EINVAL);
}

/* Every kind of event, in both byte orders and with both sizes of long. */
static void reads_written_events(void **state)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		bool big = kind & 1;
		uint32_t long_size = kind & 2 ? 4 : 8;
		struct page_layout layout = page_layout_default(long_size, 4096, big);
		struct page_event event;
		struct page_writer w;
		struct page_head head;
		struct page_iter it;

		page_writer_init(&w, 4096, long_size, big);
		page_writer_lost(&w, 77);
		page_writer_event(&w, 1000, 1, 2, 8);
		page_writer_event(&w, 1010, 1, 2, 112);
		page_writer_event(&w, 1020, 1, 2, 500);
		page_writer_event(&w, 1020 + (1ULL << 35), 1, 2, 8);
		page_writer_discard(&w, 1025 + (1ULL << 35), 40);
		page_writer_stamp(&w, 1ULL << 40);
		page_writer_event(&w, (1ULL << 40) + 5, 1, 2, 8);
		page_writer_close_page(&w);
		if (!w.pages.s) {
			page_writer_done(&w);
			continue;
		}
		head = page_head_read(&layout, (uint8_t *)w.pages.s, 4096);
		assert_true(head.time == 1000);
		assert_true(head.missed == 77);
		assert_false(head.too_long);
		it = (struct page_iter){ .time = 1000, .pos = layout.data_offset, .end = head.end };
#define NEXT(at, len)                                                                \
	assert_int_equal(page_iter_next(&it, (uint8_t *)w.pages.s, big, &event), 1); \
	assert_true(event.time == (at));                                             \
	assert_int_equal(event.size, len);                                           \
	assert_int_equal(load_u32(w.pages.s + event.data + 4, big), 2)
		NEXT(1000, 8);
		NEXT(1010, 112);
		NEXT(1020, 500);
		NEXT(1020 + (1ULL << 35), 8);
		NEXT((1ULL << 40) + 5, 8);
#undef NEXT
		assert_int_equal(page_iter_next(&it, (uint8_t *)w.pages.s, big, &event), 0);
		page_writer_done(&w);
	}
}

static void set_commit(uint8_t *page, uint64_t commit)
{
	store_u64(page + 8, commit, false);
}

static void stays_within_the_page(void **state)
{
	struct page_layout layout = page_layout_default(8, 64, false);
	uint8_t page[64] = { 0 };
	struct page_head head;

	set_commit(page, 1000);
	head = page_head_read(&layout, page, 64);
	assert_true(head.too_long);
	assert_int_equal(head.end, 64);
	head = page_head_read(&layout, page, 10);
	assert_true(head.too_long);
	assert_int_equal(head.end, 0);
	head = page_head_read(&layout, page, 0);
	assert_false(head.too_long);
	/* Lost events whose number would be outside the page. */
	set_commit(page, 48 | 3U << 30);
	head = page_head_read(&layout, page, 64);
	assert_true(head.missed == PAGE_MISSED_UNKNOWN);
	assert_false(head.too_long);
}

static int first_of(const uint32_t *words, unsigned n, struct page_event *ret_event)
{
	struct page_iter it = { .end = n * 4 };
	uint8_t bytes[64];

	for (unsigned i = 0; i < n; i++)
		store_u32(bytes + i * 4, words[i], false);
	return page_iter_next(&it, bytes, false, ret_event);
}

static void finds_damage(void **state)
{
	struct page_event event;

	assert_int_equal(first_of((uint32_t[]){ 28, 0, 0 }, 3, &event), -EBADMSG);
	assert_int_equal(first_of((uint32_t[]){ 0, 3, 0 }, 3, &event), -EBADMSG);
	assert_int_equal(first_of((uint32_t[]){ 0, UINT32_MAX, 0 }, 3, &event), -EBADMSG);
	assert_int_equal(first_of((uint32_t[]){ 0, UINT32_MAX - 2, 0 }, 3, &event), -EBADMSG);
	assert_int_equal(first_of((uint32_t[]){ 29 | 1 << 5, 100, 0 }, 3, &event), -EBADMSG);
	assert_int_equal(first_of((uint32_t[]){ 29 | 1 << 5, 0, 0 }, 3, &event), -EBADMSG);
	assert_int_equal(first_of((uint32_t[]){ 1 }, 1, &event), -EBADMSG);
	/* Padding without a time ends the page, even if only four bytes are left. */
	assert_int_equal(first_of((uint32_t[]){ 29, 0, 1 }, 3, &event), 0);
	assert_int_equal(first_of((uint32_t[]){ 29 }, 1, &event), 0);
	assert_int_equal(first_of((uint32_t[]){ 2 | 7 << 5, 0, 0 }, 3, &event), 1);
	assert_int_equal(event.size, 8);
	assert_true(event.time == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_layout),
		cmocka_unit_test(rejects_an_impossible_layout),
		cmocka_unit_test(reads_written_events),
		cmocka_unit_test(stays_within_the_page),
		cmocka_unit_test(finds_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
