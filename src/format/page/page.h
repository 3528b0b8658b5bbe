/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ring-buffer page: a timestamp, a commit word, and consecutive events, each with the time
 * since the previous one. The bytes are untrusted: nothing outside the page is read, and an
 * iteration takes at most one step per four bytes. All offsets are relative to the start of the
 * page; times are raw, in units of the buffer's clock. Iterators are the caller's, and a page is
 * never modified, so threads can read the same one.
 *
 * page_iter_next() is inline and meant to be called with a constant @big. The walk over pages in
 * the byte order of this machine then costs a load, a shift and two comparisons per event.
 */
#ifndef FATHOM_FORMAT_PAGE_PAGE_H
#define FATHOM_FORMAT_PAGE_PAGE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "format/bytes.h"

/* Larger than any sub-buffer that kernels create; limits the memory that a file can request. */
#define PAGE_SIZE_MAX ((uint32_t)4 << 20)

/* An unknown number of lost events. */
#define PAGE_MISSED_UNKNOWN UINT64_MAX

/* Bits of the commit word: events were lost before the page; their number follows its data. */
#define PAGE_COMMIT_MISSED (1U << 31)
#define PAGE_COMMIT_STORED (1U << 30)

/* Where things are in a page, from the kernel's text `header_page`. */
struct page_layout {
	uint32_t size; /* bytes of the whole page */
	uint32_t time_offset; /* of the u64 timestamp */
	uint32_t commit_offset;
	uint32_t commit_size; /* 4 or 8: the kernel's long, in bytes */
	uint32_t data_offset;
	bool big_endian;
};

/* The head of a page, validated. */
struct page_head {
	uint64_t time; /* of the page, raw */
	uint64_t missed; /* events lost before this page: 0, a number, or PAGE_MISSED_UNKNOWN */
	uint32_t end; /* offset of the end of the last event; within the page */
	bool too_long; /* the commit word claims more data than there is */
};

struct page_event {
	uint64_t time; /* raw */
	uint32_t offset; /* of the event's header */
	uint32_t data; /* of its payload */
	uint32_t size; /* of its payload, in bytes */
};

struct page_iter {
	uint64_t time; /* of the last event, raw */
	uint32_t pos; /* of the next header; after -EBADMSG, of the damage */
	uint32_t end;
};

/* The size of payloads up to this is in the header. */
#define PAGE_SMALL_MAX 112

/* The number of bits of a time in the header, and those that header and next word lack. */
#define PAGE_TIME_SHIFT	  27
#define PAGE_TIME_MISSING (0xf8ULL << 56)

enum {
	PAGE_TYPE_PADDING = 29,
	PAGE_TYPE_TIME_EXTEND = 30,
	PAGE_TYPE_TIME_STAMP = 31,
};

/*
 * Parses the text of `header_page`. The size of the page is the sum of data offset and data size;
 * callers that know better overwrite it. Returns 0, or -EINVAL with a message if it is unusable.
 */
int page_layout_parse(const char *text, size_t len, bool big_endian, struct page_layout *ret_layout,
		      struct fathom_err *err);
/* Returns the layout of a kernel with longs of @long_size bytes. */
struct page_layout page_layout_default(uint32_t long_size, uint32_t page_size, bool big_endian);
/* Returns whether a page of @size bytes is possible with this layout. */
bool page_layout_fits(const struct page_layout *layout, uint32_t size);

/* Reads the head of a page of which @avail bytes exist, possibly none. */
struct page_head page_head_read(const struct page_layout *layout, const uint8_t *page,
				uint32_t avail);

/*
 * Handles the rare kinds of events. Returns 1 if @ret_event is filled, 2 to continue with the next
 * header, or 0 and -EBADMSG as page_iter_next() does.
 */
int page_iter_rare(struct page_iter *it, const uint8_t *page, bool big,
		   struct page_event *ret_event);

/* Skips the last bytes, too few for an event. Returns false if they are not padding. */
bool page_iter_tail(struct page_iter *it, const uint8_t *page, bool big);

/*
 * Stores the next event and returns 1. Returns 0 at the end, or -EBADMSG if there is no valid event
 * at @it->pos.
 */
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
