/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Derives ring-buffer pages from others: a page with a part of its events, and a page that only
 * records a loss. Events keep their times, and the result never needs more space than the original.
 */
#ifndef FATHOM_FORMAT_PAGE_PAGE_CUT_H
#define FATHOM_FORMAT_PAGE_PAGE_CUT_H

#include <stdint.h>

#include "format/page/page.h"

/*
 * Fills @out, of the size in the layout, with the events of @page (@avail bytes of it exist) that
 * have their payload in [@from, @to), offsets as in struct page_event. @missed events were lost
 * before the first of them. Returns the number of events; stops at the first damaged one.
 */
uint32_t page_cut(const struct page_layout *layout, const uint8_t *page, uint32_t avail,
		  uint32_t from, uint32_t to, uint64_t missed, uint8_t *out);
/* Fills @out with a page at @time that has no events and reports @missed as lost. */
void page_make_lost(const struct page_layout *layout, uint64_t time, uint64_t missed, uint8_t *out);

#endif
