/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/bytes.h"

#define DELTA_MAX  ((1ULL << 27) - 1)
#define LOST	   (1U << 31)
#define LOST_COUNT (1U << 30)

static uint32_t data_offset(const struct page_writer *w)
{
	return 8 + w->long_size;
}

void page_writer_init(struct page_writer *w, uint32_t page_size, uint32_t long_size, bool big)
{
	memset(w, 0, sizeof(*w));
	w->page_size = page_size;
	w->long_size = long_size;
	w->big = big;
}

void page_writer_done(struct page_writer *w)
{
	strbuf_done(&w->pages);
	free(w->page);
	w->page = NULL;
}

static bool open_page(struct page_writer *w, uint64_t time)
{
	if (w->page)
		return true;
	w->page = mem_zalloc(1, w->page_size);
	if (!w->page)
		return false;
	store_u64(w->page, time, w->big);
	w->time = time;
	w->pos = data_offset(w);
	return true;
}

static void put_long(const struct page_writer *w, uint32_t at, uint64_t value)
{
	if (w->long_size == 8)
		store_u64(w->page + at, value, w->big);
	else
		store_u32(w->page + at, (uint32_t)value, w->big);
}

void page_writer_close_page(struct page_writer *w)
{
	uint64_t commit = w->pos - data_offset(w);

	if (!w->page)
		return;
	if (w->lost)
		commit |= LOST;
	if (w->lost && w->lost != PAGE_WRITER_LOST_UNKNOWN &&
	    w->page_size - w->pos >= w->long_size) {
		commit |= LOST_COUNT;
		put_long(w, w->pos, w->lost);
	}
	put_long(w, 8, commit);
	strbuf_add(&w->pages, w->page, w->page_size);
	free(w->page);
	w->page = NULL;
	w->lost = 0;
}

void page_writer_lost(struct page_writer *w, uint64_t count)
{
	page_writer_close_page(w);
	w->lost = count;
}

void page_writer_empty_page(struct page_writer *w, uint64_t time)
{
	page_writer_close_page(w);
	if (open_page(w, time))
		page_writer_close_page(w);
}

static void put_word(struct page_writer *w, uint32_t type, uint64_t delta)
{
	uint32_t word = w->big ? type << 27 | (uint32_t)delta : type | (uint32_t)delta << 5;

	store_u32(w->page + w->pos, word, w->big);
	w->pos += 4;
}

static void put_u32(struct page_writer *w, uint32_t value)
{
	store_u32(w->page + w->pos, value, w->big);
	w->pos += 4;
}

/*
 * Makes room for @size bytes and brings the current time close to @time. Returns the remaining
 * delta.
 */
static uint64_t approach(struct page_writer *w, uint64_t time, uint32_t size)
{
	uint64_t delta;

	/* Room for a timestamp before it, and for the number of lost events after it. */
	if (w->page && w->page_size - w->pos < size + 8 + w->long_size)
		page_writer_close_page(w);
	if (!open_page(w, time))
		return UINT64_MAX;
	delta = time - w->time;
	if (delta > DELTA_MAX) {
		put_word(w, 30, delta & DELTA_MAX);
		put_u32(w, (uint32_t)(delta >> 27));
		delta = 0;
	}
	w->time = time;
	return delta;
}

/* Begins an event of @len bytes. Returns false if out of memory. */
static bool begin_event(struct page_writer *w, uint64_t time, uint32_t len)
{
	uint64_t delta = approach(w, time, len + 8);

	if (delta == UINT64_MAX)
		return false;
	put_word(w, len <= 28 * 4 ? len / 4 : 0, delta);
	if (len > 28 * 4)
		put_u32(w, len + 4);
	return true;
}

void page_writer_record(struct page_writer *w, uint64_t time, const void *data, uint32_t size)
{
	uint32_t len = (size + 3) & ~3U;

	if (!begin_event(w, time, len))
		return;
	memset(w->page + w->pos, 0, len);
	memcpy(w->page + w->pos, data, size);
	w->pos += len;
	w->n_events++;
}

void page_writer_event(struct page_writer *w, uint64_t time, uint16_t id, int32_t pid,
		       uint32_t size)
{
	uint32_t len = (size + 3) & ~3U;

	if (!begin_event(w, time, len))
		return;
	memset(w->page + w->pos, 0x5a, len);
	store_u16(w->page + w->pos, id, w->big);
	store_u16(w->page + w->pos + 2, 0, w->big);
	store_u32(w->page + w->pos + 4, (uint32_t)pid, w->big);
	w->pos += len;
	w->n_events++;
}

void page_writer_stamp(struct page_writer *w, uint64_t time)
{
	if (approach(w, w->page ? w->time : time, 8) == UINT64_MAX)
		return;
	put_word(w, 31, time & DELTA_MAX);
	put_u32(w, (uint32_t)(time >> 27));
	w->time = time;
}

void page_writer_discard(struct page_writer *w, uint64_t time, uint32_t size)
{
	uint32_t len = (size + 3) & ~3U;
	uint64_t delta = approach(w, time, len + 4);

	if (delta == UINT64_MAX)
		return;
	/* The kernel never omits its time, since that would end the page. */
	if (!delta) {
		delta = 1;
		w->time++;
	}
	put_word(w, 29, delta);
	store_u32(w->page + w->pos, len, w->big);
	w->pos += len;
}
