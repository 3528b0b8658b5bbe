/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes ring-buffer pages as the kernel does, one CPU of one buffer. Events go onto
 * the page that is open; a full page is closed and the next one opened. Deltas that
 * do not fit get a time extend by themselves.
 */
#ifndef FATHOM_TESTS_PAGE_WRITER_H
#define FATHOM_TESTS_PAGE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

#define PAGE_WRITER_LOST_UNKNOWN UINT64_MAX

struct page_writer {
	struct strbuf pages; /* the closed ones */
	uint8_t *page; /* the open one, NULL: none */
	uint32_t page_size, long_size;
	bool big;
	uint32_t pos; /* in the open page */
	uint64_t time; /* of the last event */
	uint64_t lost; /* before the page that is opened next */
	uint64_t n_events;
};

void page_writer_init(struct page_writer *w, uint32_t page_size, uint32_t long_size, bool big);
void page_writer_done(struct page_writer *w);
/* An event of @size bytes (8 at least; rounded up to 4): id, pid, and a pattern behind them. */
void page_writer_event(struct page_writer *w, uint64_t time, uint16_t id, int32_t pid,
		       uint32_t size);
/* An event with these bytes, common fields and all; @size is rounded up to 4. */
void page_writer_record(struct page_writer *w, uint64_t time, const void *data, uint32_t size);
/* An absolute stamp: the next event counts from @time, whose high 5 bits must be the running ones. */
void page_writer_stamp(struct page_writer *w, uint64_t time);
/* An event that was taken back: padding of @size bytes that has taken time. */
void page_writer_discard(struct page_writer *w, uint64_t time, uint32_t size);
/* Closes the page; the next one says that @count events were lost. */
void page_writer_lost(struct page_writer *w, uint64_t count);
void page_writer_close_page(struct page_writer *w);
/* A page without events that starts at @time. */
void page_writer_empty_page(struct page_writer *w, uint64_t time);

#endif
