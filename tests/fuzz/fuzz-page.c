/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes one page: the first byte of the input selects its layout, the rest is the page, or the
 * text of header_page and then the page.
 */
#include <stdlib.h>

#include "format/page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct page_layout *layout, const uint8_t *page, uint32_t avail)
{
	struct page_head head = page_head_read(layout, page, avail);
	struct page_iter it = { .time = head.time, .pos = layout->data_offset, .end = head.end };
	struct page_event event;
	uint32_t steps = 0, last = 0;

	if (head.end > avail)
		abort();
	if (it.pos > it.end)
		return;
	while (page_iter_next(&it, page, layout->big_endian, &event) == 1) {
		if (event.offset < last || event.data + event.size > head.end ||
		    ++steps > layout->size / 4)
			abort();
		last = event.offset;
	}
	if (it.pos > it.end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_layout layout;
	uint8_t how;

	if (size < 1 || size > PAGE_SIZE_MAX)
		return 0;
	how = *data++;
	size--;
	layout = page_layout_default(how & 1 ? 4 : 8, (uint32_t)size & ~3U, how & 2);
	if (how & 4) {
		size_t text = size < 512 ? size : 512;

		if (page_layout_parse((const char *)data, text, how & 2, &layout, NULL) < 0)
			return 0;
		data += text;
		size -= text;
	}
	if (size > layout.size)
		size = layout.size;
	if (!page_layout_fits(&layout, layout.size))
		return 0;
	walk(&layout, data, (uint32_t)size);
	return 0;
}
