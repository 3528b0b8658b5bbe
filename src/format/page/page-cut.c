/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/page/page-cut.h"

#include <string.h>

#include "format/page/page-build.h"

/*
 * Copying needs no more space than the original: wherever time exceeds an event's header here, the
 * original has at least 8 bytes that are left out, for another event, padding, a time extend or a
 * timestamp.
 */
uint32_t page_cut(const struct page_layout *layout, const uint8_t *page, uint32_t avail,
		  uint32_t from, uint32_t to, uint64_t missed, uint8_t *out)
{
	struct page_head head = page_head_read(layout, page, avail);
	struct page_iter it = { .time = head.time, .pos = layout->data_offset, .end = head.end };
	struct page_build build;
	struct page_event event;

	page_build_begin(&build, layout, out);
	build.start = head.time;
	while (it.pos <= it.end && page_iter_next(&it, page, layout->big_endian, &event) == 1) {
		uint8_t *bytes;

		if (event.data < from)
			continue;
		if (event.data >= to)
			break;
		bytes = page_build_event(&build, event.time, event.size);
		if (!bytes)
			break;
		memcpy(bytes, page + event.data, event.size);
	}
	page_build_end(&build, missed);
	return build.events;
}

void page_make_lost(const struct page_layout *layout, uint64_t time, uint64_t missed, uint8_t *out)
{
	struct page_build build;

	page_build_begin(&build, layout, out);
	build.start = time;
	page_build_end(&build, missed);
}
