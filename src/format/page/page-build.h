/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fills a ring-buffer page with events as the kernel would have done. The page is the caller's
 * memory. It is complete except for its head, which page_build_end() writes.
 */
#ifndef FATHOM_FORMAT_PAGE_PAGE_BUILD_H
#define FATHOM_FORMAT_PAGE_PAGE_BUILD_H

#include <stdint.h>

#include "format/page/page.h"

struct page_build {
	const struct page_layout *layout;
	uint8_t *page; /* of the size in the layout */
	uint32_t pos; /* offset of the next event */
	uint64_t start, time; /* of the first and the last event */
	uint32_t events;
};

/* Starts a page and zeroes it. @layout and @page must outlive @build. */
void page_build_begin(struct page_build *build, const struct page_layout *layout, uint8_t *page);
/*
 * Reserves space for an event of @size bytes, a multiple of 4, and writes its header, preceded by a
 * time extend or timestamp if needed. Returns where its bytes go, or NULL if the page is full.
 */
uint8_t *page_build_event(struct page_build *build, uint64_t time, uint32_t size);
/*
 * Writes the head of the page. @missed: number of events lost before it, 0 or PAGE_MISSED_UNKNOWN.
 */
void page_build_end(struct page_build *build, uint64_t missed);

#endif
