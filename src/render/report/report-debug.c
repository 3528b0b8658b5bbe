/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Additions of --debug to lines: the position of pages and events in the file, and the bytes
 * between events.
 */
#include "format/page/page.h"
#include "read/cursor.h"
#include "render/report/report-parts.h"

/* A word of a page, and the next one if there is one. */
struct words {
	uint32_t type;
	uint64_t delta;
	uint32_t next;
};

static bool report_debug_read_words(const struct cursor_place *place, uint32_t at,
				    struct words *ret_words)
{
	uint32_t word;

	if (at > place->end || place->end - at < 8)
		return false;
	word = load_u32(place->page + at, place->big_endian);
	ret_words->type = place->big_endian ? word >> PAGE_TIME_SHIFT : word & 31;
	ret_words->delta = place->big_endian ? word & ((1U << PAGE_TIME_SHIFT) - 1) : word >> 5;
	ret_words->next = load_u32(place->page + at + 4, place->big_endian);
	return true;
}

void report_debug_page(const struct cursor_place *place, struct text *text)
{
	text_str(text, " [");
	text_u64(text, place->page_time);
	text_str(text, ":0x");
	text_hex(text, place->page_offset);
	text_char(text, ']');
}

static void put_between(const struct words *words, uint64_t time, struct text *text)
{
	uint64_t delta = words->delta;
	uint32_t length = 0;

	if (words->type == PAGE_TYPE_PADDING) {
		text_str(text, "\n PADDING: delta:");
		length = words->next;
	} else if (words->type == PAGE_TYPE_TIME_EXTEND) {
		text_str(text, "\n TIME EXTEND: delta:");
		delta += (uint64_t)words->next << PAGE_TIME_SHIFT;
	} else {
		text_str(text, "\n TIME STAMP: timestamp:");
		delta = (delta + ((uint64_t)words->next << PAGE_TIME_SHIFT)) |
			(time & PAGE_TIME_MISSING);
	}
	text_u64(text, delta);
	text_str(text, " length:");
	text_u64(text, length);
}

void report_debug_event(const struct cursor_place *place, uint32_t size, struct text *text)
{
	struct words words;
	uint32_t at = place->next;

	text_str(text, " [");
	text_u64(text, report_debug_read_words(place, place->header, &words) ? words.delta : 0);
	text_str(text, ":0x");
	text_hex(text, place->header);
	text_char(text, ':');
	text_u64(text, size);
	text_char(text, ']');
	while (report_debug_read_words(place, at, &words) && words.type >= PAGE_TYPE_PADDING) {
		put_between(&words, place->time, text);
		if (words.type != PAGE_TYPE_PADDING)
			at += 8;
		else if (words.next <= place->end - at)
			at += 4 + words.next;
		else
			break;
	}
}
