/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes ring-buffer pages as the kernel does, for one CPU of one buffer. Events are added to the
 * open page; a full page is closed and the next one opened. Deltas that are too large get a time
 * extend.
 */
#ifndef FATHOM_TESTS_PAGE_WRITER_H
#define FATHOM_TESTS_PAGE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

#define PAGE_WRITER_LOST_UNKNOWN UINT64_MAX

struct page_writer {
	struct strbuf pages; /* closed pages */
	uint8_t *page; /* the open page, NULL: none */
	uint32_t page_size, long_size;
	bool big;
	uint32_t pos; /* bytes in the open page */
	uint64_t time; /* of the last event */
	uint64_t lost; /* lost before the next page */
	uint64_t n_events;
};

void page_writer_init(struct page_writer *w, uint32_t page_size, uint32_t long_size, bool big);
void page_writer_done(struct page_writer *w);
/* Adds an event of @size bytes (at least 8; rounded up to 4): ID, PID, and a pattern. */
void page_writer_event(struct page_writer *w, uint64_t time, uint16_t id, int32_t pid,
		       uint32_t size);
/* Adds an event with these bytes, including common fields; @size is rounded up to 4. */
void page_writer_record(struct page_writer *w, uint64_t time, const void *data, uint32_t size);
/*
 * Adds an absolute timestamp: the next event counts from @time, whose highest 5 bits must be the
 * current ones.
 */
void page_writer_stamp(struct page_writer *w, uint64_t time);
/* Adds a discarded event: padding of @size bytes, with a time delta. */
void page_writer_discard(struct page_writer *w, uint64_t time, uint32_t size);
/* Closes the page; the next one reports @count lost events. */
void page_writer_lost(struct page_writer *w, uint64_t count);
void page_writer_close_page(struct page_writer *w);
/* Adds a page without events that starts at @time. */
void page_writer_empty_page(struct page_writer *w, uint64_t time);

#endif
