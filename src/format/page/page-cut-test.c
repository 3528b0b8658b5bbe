/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/page/page-cut.h"

#include "page-writer.h"
#include "test.h"

#define PAGE   1024
#define EVENTS 64

struct seen {
	struct page_event events[EVENTS];
	uint32_t n;
	struct page_head head;
};

static void look(const struct page_layout *layout, const uint8_t *page, uint32_t avail,
		 struct seen *ret_seen)
{
	struct seen seen = { .head = page_head_read(layout, page, avail) };
	struct page_iter it = { .time = seen.head.time,
				.pos = layout->data_offset,
				.end = seen.head.end };

	while (seen.n < EVENTS &&
	       page_iter_next(&it, page, layout->big_endian, &seen.events[seen.n]) == 1)
		seen.n++;
	assert_false(seen.head.too_long);
	*ret_seen = seen;
}

/* Fills one page with every way to encode time, and a loss before it. False without memory. */
static bool fill(struct page_writer *w, uint32_t long_size, bool big, unsigned seed)
{
	uint64_t time = 1ULL << 40;

	page_writer_init(w, PAGE, long_size, big);
	page_writer_lost(w, 77);
	for (uint32_t i = 0; w->pages.len < PAGE && i < EVENTS && !w->pages.err; i++) {
		seed = seed * 1103515245 + 12345;
		switch (seed >> 16 & 7) {
		case 0:
			time += 1ULL << 33;
			break;
		case 1:
			page_writer_discard(w, time += (1ULL << 27) - 1, 12);
			break;
		case 2:
			page_writer_stamp(w, time += 1ULL << 30);
			break;
		case 3:
			time += (1ULL << 27) - 1;
			break;
		default:
			time += seed >> 20 & 1023;
		}
		page_writer_event(w, time, (uint16_t)i, (int32_t)seed,
				  (seed >> 24 & 1) ? 8 : 8 + (seed >> 8 & 255));
	}
	page_writer_close_page(w);
	return !w->pages.err && w->pages.len >= PAGE;
}

static void same_events(const struct page_layout *layout, const uint8_t *whole,
			const struct seen *of, uint32_t first, const uint8_t *part,
			const struct seen *cut)
{
	for (uint32_t i = 0; i < cut->n; i++) {
		const struct page_event *a = &of->events[first + i], *b = &cut->events[i];

		assert_true(a->time == b->time);
		assert_int_equal(a->size, b->size);
		assert_memory_equal(whole + a->data, part + b->data, a->size);
	}
	assert_true(cut->head.end <= layout->size);
}

static void check_cuts(const struct page_layout *layout, const uint8_t *whole)
{
	uint8_t part[PAGE];
	struct seen of, cut;

	look(layout, whole, PAGE, &of);
	assert_true(of.n > 3);
	for (uint32_t first = 0; first < of.n; first++) {
		for (uint32_t last = first; last <= of.n; last++) {
			uint32_t to = last < of.n ? of.events[last].data : UINT32_MAX;
			uint64_t missed = first ? 0 : of.head.missed;
			uint32_t n = page_cut(layout, whole, PAGE, of.events[first].data, to,
					      missed, part);

			assert_int_equal(n, last - first);
			look(layout, part, PAGE, &cut);
			assert_int_equal(cut.n, n);
			assert_true(!n || cut.head.time == of.events[first].time);
			/* Omitted events make room for the number. */
			assert_true(cut.head.missed == missed);
			same_events(layout, whole, &of, first, part, &cut);
		}
	}
}

static void contains_the_requested_events(void **state)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		bool big = kind & 1;
		uint32_t long_size = kind & 2 ? 4 : 8;
		struct page_layout layout = page_layout_default(long_size, PAGE, big);

		for (unsigned seed = 1; seed < 40; seed++) {
			struct page_writer w;

			if (succeeds(fill(&w, long_size, big, seed)))
				check_cuts(&layout, (const uint8_t *)w.pages.s);
			page_writer_done(&w);
		}
	}
}

/* A truncated page: takes the complete events. */
static void takes_events_of_truncated_pages(void **state)
{
	struct page_layout layout = page_layout_default(8, PAGE, false);
	struct page_writer w;

	if (succeeds(fill(&w, 8, false, 5))) {
		const uint8_t *whole = (const uint8_t *)w.pages.s;
		uint8_t part[PAGE];
		struct seen of, cut;

		look(&layout, whole, PAGE, &of);
		for (uint32_t avail = 0; avail <= PAGE; avail++) {
			uint32_t n = page_cut(&layout, whole, avail, 0, UINT32_MAX, 0, part);
			uint32_t whole_ones = 0;

			while (whole_ones < of.n &&
			       of.events[whole_ones].data + of.events[whole_ones].size <= avail)
				whole_ones++;
			assert_int_equal(n, whole_ones);
			look(&layout, part, PAGE, &cut);
			assert_int_equal(cut.n, n);
			same_events(&layout, whole, &of, 0, part, &cut);
		}
	}
	page_writer_done(&w);
}

static void time_may_go_backwards(void **state)
{
	struct page_layout layout = page_layout_default(8, PAGE, false);
	struct page_writer w;
	struct seen of, cut;
	uint8_t part[PAGE];

	page_writer_init(&w, PAGE, 8, false);
	page_writer_event(&w, 1000000, 1, 1, 8);
	page_writer_event(&w, 1000010, 1, 1, 8);
	page_writer_stamp(&w, 500);
	page_writer_event(&w, 505, 1, 1, 8);
	page_writer_close_page(&w);
	if (succeeds(w.pages.len == PAGE)) {
		look(&layout, (const uint8_t *)w.pages.s, PAGE, &of);
		assert_int_equal(page_cut(&layout, (const uint8_t *)w.pages.s, PAGE,
					  of.events[1].data, UINT32_MAX, 0, part),
				 2);
		look(&layout, part, PAGE, &cut);
		assert_int_equal(cut.n, 2);
		assert_true(cut.events[1].time == 505);
	}
	page_writer_done(&w);
}

static void reports_lost_events(void **state)
{
	static const uint64_t counts[] = { 1, 123456, PAGE_MISSED_UNKNOWN };

	for (unsigned kind = 0; kind < 4; kind++) {
		struct page_layout layout = page_layout_default(kind & 2 ? 4 : 8, PAGE, kind & 1);
		struct seen seen;
		uint8_t page[PAGE];

		for (size_t i = 0; i < 3; i++) {
			page_make_lost(&layout, 42, counts[i], page);
			look(&layout, page, PAGE, &seen);
			assert_int_equal(seen.n, 0);
			assert_true(seen.head.time == 42);
			assert_true(seen.head.missed == counts[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contains_the_requested_events),
		cmocka_unit_test(takes_events_of_truncated_pages),
		cmocka_unit_test(time_may_go_backwards),
		cmocka_unit_test(reports_lost_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
