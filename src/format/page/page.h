/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ring-buffer page: a time stamp, a commit word, and events one behind the
 * other, each with the time since the one before. The bytes are hostile: nothing
 * outside of the page is ever read, and an iteration ends after at most one step
 * per four bytes. All offsets count from the start of the page.
 *
 * page_iter_next() is inline, and meant to be called with a constant @big, so that
 * the walk over the pages of this machine's own byte order costs a load, a shift
 * and two comparisons per event.
 */
#ifndef FATHOM_FORMAT_PAGE_PAGE_H
#define FATHOM_FORMAT_PAGE_PAGE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "format/bytes.h"

/* Larger sub-buffers than any kernel makes; bounds what a hostile file can ask for. */
#define PAGE_SIZE_MAX ((uint32_t)4 << 20)

/* Lost events whose number is not known. */
#define PAGE_MISSED_UNKNOWN UINT64_MAX

/* Bits of the commit word: events were lost before the page; their number stands behind its data. */
#define PAGE_COMMIT_MISSED (1U << 31)
#define PAGE_COMMIT_STORED (1U << 30)

/* Where things are in a page, out of the kernel's text `header_page`. */
struct page_layout {
	uint32_t size; /* of the whole page */
	uint32_t time_offset; /* of the u64 time stamp */
	uint32_t commit_offset;
	uint32_t commit_size; /* 4 or 8: the kernel's long */
	uint32_t data_offset;
	bool big_endian;
};

/* What the first bytes of a page say, made safe. */
struct page_head {
	uint64_t time; /* of the page, raw */
	uint64_t missed; /* lost before this page: 0, a number, or PAGE_MISSED_UNKNOWN */
	uint32_t end; /* offset behind the last event; within the page */
	bool too_long; /* the page claims more data than there is room for */
};

struct page_event {
	uint64_t time; /* raw */
	uint32_t offset; /* of the event's header */
	uint32_t data; /* of its payload */
	uint32_t size; /* of its payload */
};

struct page_iter {
	uint64_t time; /* of the last event, raw */
	uint32_t pos; /* of the next header; where the damage is after -EBADMSG */
	uint32_t end;
};

/* Payloads up to this have their size in the header. */
#define PAGE_SMALL_MAX 112

/* Bits of a time in the words behind a header, and those that they have no room for. */
#define PAGE_TIME_SHIFT	  27
#define PAGE_TIME_MISSING (0xf8ULL << 56)

enum {
	PAGE_TYPE_PADDING = 29,
	PAGE_TYPE_TIME_EXTEND = 30,
	PAGE_TYPE_TIME_STAMP = 31,
};

/*
 * Reads the text of `header_page`. The size of the page is data offset + data size as the text
 * has it; a caller that knows better overwrites it. -EINVAL with a message when it cannot be used.
 */
int page_layout_parse(const char *text, size_t len, bool big_endian, struct page_layout *ret_layout,
		      struct fathom_err *err);
/* The layout of a kernel with longs of @long_size bytes, where no text says otherwise. */
struct page_layout page_layout_default(uint32_t long_size, uint32_t page_size, bool big_endian);
/* Is a page of @size bytes possible with this layout? */
bool page_layout_fits(const struct page_layout *layout, uint32_t size);

/* Reads the head of a page of which @avail bytes are there; @avail may be 0. */
struct page_head page_head_read(const struct page_layout *layout, const uint8_t *page,
				uint32_t avail);

/* The rare kinds of event. 1: @ret_event is filled, 2: go on, 0 and -EBADMSG as page_iter_next(). */
int page_iter_rare(struct page_iter *it, const uint8_t *page, bool big,
		   struct page_event *ret_event);

/* Skips the last bytes, which are too few for an event. False if they are not padding. */
bool page_iter_tail(struct page_iter *it, const uint8_t *page, bool big);

/* The next event: 1. At the end: 0. -EBADMSG when what stands at @it->pos is no event. */
static inline __attribute__((always_inline)) int
page_iter_next(struct page_iter *it, const uint8_t *page, bool big, struct page_event *ret_event)
{
	for (;;) {
		uint32_t left = it->end - it->pos;
		uint32_t word, type, size;
		int r;

		if (__builtin_expect(left < 8, 0))
			return !left || page_iter_tail(it, page, big) ? 0 : -EBADMSG;
		word = load_u32(page + it->pos, big);
		type = big ? word >> 27 : word & 31;
		size = type * 4;
		if (__builtin_expect(type - 1 < 28 && size <= left - 4, 1)) {
			it->time += big ? word & ((1U << 27) - 1) : word >> 5;
			ret_event->time = it->time;
			ret_event->offset = it->pos;
			ret_event->data = it->pos + 4;
			ret_event->size = size;
			it->pos += 4 + size;
			return 1;
		}
		r = page_iter_rare(it, page, big, ret_event);
		if (r != 2)
			return r;
	}
}

#endif
