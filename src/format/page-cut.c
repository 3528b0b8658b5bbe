/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/page-cut.h"

#include <string.h>

#define DELTA_BITS 27
#define DELTA_MASK ((1U << DELTA_BITS) - 1)
#define TIME_BITS  59 /* of a time extend or an absolute stamp */
#define TIME_SIZE  8 /* bytes of either */

/* A page that grows. */
struct growing {
	const struct page_layout *layout;
	uint8_t *page;
	uint32_t pos;
	uint64_t time; /* of the last event */
	uint32_t events;
};

static uint32_t header(const struct page_layout *layout, uint32_t type, uint32_t delta)
{
	return layout->big_endian ? type << DELTA_BITS | delta : delta << 5 | type;
}

static uint32_t type_of(const struct page_layout *layout, uint32_t word)
{
	return layout->big_endian ? word >> DELTA_BITS : word & 31;
}

static void put_time(struct growing *g, uint32_t type, uint64_t value)
{
	bool big = g->layout->big_endian;

	store_u32(g->page + g->pos, header(g->layout, type, (uint32_t)value & DELTA_MASK), big);
	store_u32(g->page + g->pos + 4, (uint32_t)(value >> DELTA_BITS), big);
	g->pos += TIME_SIZE;
}

/*
 * Time that does not fit into an event's own header came, in the page it is from, with at least
 * 8 bytes that are left out here: another event, padding, an extend or a stamp.
 */
static bool put_event(struct growing *g, const uint8_t *page, const struct page_event *event)
{
	bool big = g->layout->big_endian;
	uint32_t size = event->data + event->size - event->offset;
	uint64_t delta = event->time - g->time;
	uint32_t word = load_u32(page + event->offset, big);
	bool fits = delta <= DELTA_MASK;

	if (g->layout->size - g->pos < size + (fits ? 0 : TIME_SIZE))
		return false;
	if (!fits) {
		/* A clock that went back is an absolute stamp; its high bits are the running ones. */
		if (delta >> TIME_BITS)
			put_time(g, PAGE_TYPE_TIME_STAMP, event->time & ((1ULL << TIME_BITS) - 1));
		else
			put_time(g, PAGE_TYPE_TIME_EXTEND, delta);
		delta = 0;
	}
	memcpy(g->page + g->pos, page + event->offset, size);
	store_u32(g->page + g->pos, header(g->layout, type_of(g->layout, word), (uint32_t)delta),
		  big);
	g->pos += size;
	g->time = event->time;
	g->events++;
	return true;
}

static void put_head(const struct page_layout *layout, uint64_t time, uint32_t length,
		     uint64_t missed, uint8_t *page)
{
	bool big = layout->big_endian;
	uint32_t end = layout->data_offset + length, commit = length;

	store_u64(page + layout->time_offset, time, big);
	if (missed)
		commit |= PAGE_COMMIT_MISSED;
	if (missed && missed != PAGE_MISSED_UNKNOWN && layout->size - end >= layout->commit_size) {
		commit |= PAGE_COMMIT_STORED;
		if (layout->commit_size == 8)
			store_u64(page + end, missed, big);
		else
			store_u32(page + end, missed < UINT32_MAX ? (uint32_t)missed : UINT32_MAX,
				  big);
	}
	if (layout->commit_size == 8)
		store_u64(page + layout->commit_offset, commit, big);
	else
		store_u32(page + layout->commit_offset, commit, big);
}

uint32_t page_cut(const struct page_layout *layout, const uint8_t *page, uint32_t avail,
		  uint32_t from, uint32_t to, uint64_t missed, uint8_t *out)
{
	struct page_head head = page_head_read(layout, page, avail);
	struct page_iter it = { .time = head.time, .pos = layout->data_offset, .end = head.end };
	struct growing g = { .layout = layout, .page = out, .pos = layout->data_offset };
	uint64_t start = head.time;
	struct page_event event;

	memset(out, 0, layout->size);
	while (it.pos <= it.end && page_iter_next(&it, page, layout->big_endian, &event) == 1) {
		if (event.data < from)
			continue;
		if (event.data >= to)
			break;
		if (!g.events)
			g.time = start = event.time;
		if (!put_event(&g, page, &event))
			break;
	}
	put_head(layout, start, g.pos - layout->data_offset, missed, out);
	return g.events;
}

void page_make_lost(const struct page_layout *layout, uint64_t time, uint64_t missed, uint8_t *out)
{
	memset(out, 0, layout->size);
	put_head(layout, time, 0, missed, out);
}
