/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/page/page-build.h"

#include <string.h>

#define DELTA_BITS 27
#define DELTA_MASK ((1U << DELTA_BITS) - 1)
#define TIME_BITS  59 /* of a time extend or an absolute timestamp */
#define TIME_SIZE  8 /* bytes of either */

void page_build_begin(struct page_build *build, const struct page_layout *layout, uint8_t *page)
{
	*build = (struct page_build){ .layout = layout, .page = page, .pos = layout->data_offset };
	memset(page, 0, layout->size);
}

static uint32_t page_build_header(const struct page_layout *layout, uint32_t type, uint32_t delta)
{
	return layout->big_endian ? type << DELTA_BITS | delta : delta << 5 | type;
}

static void page_build_put_time(struct page_build *build, uint32_t type, uint64_t value)
{
	bool big = build->layout->big_endian;
	uint8_t *at = build->page + build->pos;

	store_u32(at, page_build_header(build->layout, type, (uint32_t)value & DELTA_MASK), big);
	store_u32(at + 4, (uint32_t)(value >> DELTA_BITS), big);
	build->pos += TIME_SIZE;
}

uint8_t *page_build_event(struct page_build *build, uint64_t time, uint32_t size)
{
	const struct page_layout *layout = build->layout;
	bool is_small = size && size <= PAGE_SMALL_MAX;
	uint32_t whole = size + (is_small ? 4 : 8);
	uint64_t delta = build->events ? time - build->time : 0;
	bool fits = delta <= DELTA_MASK;
	uint8_t *at;

	if (layout->size - build->pos < whole + (fits ? 0 : TIME_SIZE))
		return NULL;
	if (!build->events)
		build->start = time;
	if (!fits) {
		/* If the clock went back, use an absolute timestamp; readers add the high bits. */
		if (delta >> TIME_BITS)
			page_build_put_time(build, PAGE_TYPE_TIME_STAMP,
					    time & ((1ULL << TIME_BITS) - 1));
		else
			page_build_put_time(build, PAGE_TYPE_TIME_EXTEND, delta);
		delta = 0;
	}
	at = build->page + build->pos;
	store_u32(at, page_build_header(layout, is_small ? size / 4 : 0, (uint32_t)delta),
		  layout->big_endian);
	/* The length of a larger event includes itself. */
	if (!is_small)
		store_u32(at + 4, size + 4, layout->big_endian);
	build->pos += whole;
	build->time = time;
	build->events++;
	return at + whole - size;
}

void page_build_end(struct page_build *build, uint64_t missed)
{
	const struct page_layout *layout = build->layout;
	bool big = layout->big_endian;
	uint8_t *page = build->page;
	uint32_t commit = build->pos - layout->data_offset;

	store_u64(page + layout->time_offset, build->start, big);
	if (missed)
		commit |= PAGE_COMMIT_MISSED;
	if (missed && missed != PAGE_MISSED_UNKNOWN &&
	    layout->size - build->pos >= layout->commit_size) {
		commit |= PAGE_COMMIT_STORED;
		if (layout->commit_size == 8)
			store_u64(page + build->pos, missed, big);
		else
			store_u32(page + build->pos,
				  missed < UINT32_MAX ? (uint32_t)missed : UINT32_MAX, big);
	}
	if (layout->commit_size == 8)
		store_u64(page + layout->commit_offset, commit, big);
	else
		store_u32(page + layout->commit_offset, commit, big);
}
