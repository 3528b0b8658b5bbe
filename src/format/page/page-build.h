/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A ring-buffer page that is being filled, event by event, as the kernel would have done it. Between
 * two calls it is a whole page but for its head, which page_build_end() writes.
 */
#ifndef FATHOM_FORMAT_PAGE_PAGE_BUILD_H
#define FATHOM_FORMAT_PAGE_PAGE_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/page/page.h"

struct page_build {
	const struct page_layout *layout;
	uint8_t *page; /* of the layout's size */
	uint32_t pos; /* where the next event goes */
	uint64_t start, time; /* of the first event, of the last one */
	uint32_t events;
};

/* Begins a page, which becomes zeros; both must live as long as @build. */
void page_build_begin(struct page_build *build, const struct page_layout *layout, uint8_t *page);
/*
 * Makes room for an event of @size bytes, a multiple of 4, and writes what stands before it.
 * Where its bytes go; NULL: it does not fit.
 */
uint8_t *page_build_event(struct page_build *build, uint64_t time, uint32_t size);
/* Writes the head: @missed events were lost before the page. */
void page_build_end(struct page_build *build, uint64_t missed);

#endif
