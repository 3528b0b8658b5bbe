/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Making ring-buffer pages out of others: a page with some of the events of another one,
 * and one that says that events were lost. The events keep their times, and what is
 * made never needs more room than the page it comes from.
 */
#ifndef FATHOM_FORMAT_PAGE_PAGE_CUT_H
#define FATHOM_FORMAT_PAGE_PAGE_CUT_H

#include <stdint.h>

#include "format/page/page.h"

/*
 * Fills @out, of the layout's size, with the events of @page (of which @avail bytes are there)
 * whose payload begins in [@from, @to), an offset as in struct page_event. @missed events were
 * lost before the first of them. The number of events; damage ends them.
 */
uint32_t page_cut(const struct page_layout *layout, const uint8_t *page, uint32_t avail,
		  uint32_t from, uint32_t to, uint64_t missed, uint8_t *out);
/* Fills @out with a page of @time without events that says that @missed were lost. */
void page_make_lost(const struct page_layout *layout, uint64_t time, uint64_t missed, uint8_t *out);

#endif
