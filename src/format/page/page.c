/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/page/page.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

/* An absolute timestamp has 59 bits; the others are those of the current time. */

#define COMMIT_LENGTH ((1U << 27) - 1)

struct field {
	uint32_t offset;
	uint32_t size;
	bool found;
};

/* Parses the number after @key in @line, as in "offset:8;". Returns false if there is none. */
static bool page_number_after(const char *line, size_t len, const char *key, uint32_t *ret_number)
{
	size_t key_len = strlen(key);
	const char *p = memmem(line, len, key, key_len), *end = line + len;
	uint64_t n = 0;
	int digits = 0;

	if (!p)
		return false;
	for (p += key_len; p < end && *p >= '0' && *p <= '9' && digits < 9; p++, digits++)
		n = n * 10 + (uint64_t)(*p - '0');
	if (!digits)
		return false;
	*ret_number = (uint32_t)n;
	return true;
}

/* Finds the line `field: TYPE NAME; offset:O; size:S;`. */
static struct field page_find_field(const char *text, size_t len, const char *name)
{
	size_t name_len = strlen(name);
	struct field field = { 0 };

	while (len) {
		const char *eol = memchr(text, '\n', len);
		size_t line_len = eol ? (size_t)(eol - text) : len;
		const char *semi = memchr(text, ';', line_len);
		size_t head = semi ? (size_t)(semi - text) : 0;

		if (head > name_len && memcmp(semi - name_len, name, name_len) == 0 &&
		    (semi[-(ptrdiff_t)name_len - 1] == ' ' ||
		     semi[-(ptrdiff_t)name_len - 1] == '\t') &&
		    page_number_after(semi, line_len - head, "offset:", &field.offset) &&
		    page_number_after(semi, line_len - head, "size:", &field.size)) {
			field.found = true;
			return field;
		}
		text += line_len + (eol ? 1 : 0);
		len -= line_len + (eol ? 1 : 0);
	}
	return field;
}

bool page_layout_fits(const struct page_layout *layout, uint32_t size)
{
	return size <= PAGE_SIZE_MAX && size % 4 == 0 && size >= layout->data_offset + 8 &&
	       layout->data_offset % 4 == 0 && layout->time_offset + 8 <= layout->data_offset &&
	       layout->commit_offset + layout->commit_size <= layout->data_offset;
}

int page_layout_parse(const char *text, size_t len, bool big_endian, struct page_layout *ret_layout,
		      struct fathom_err *err)
{
	struct field time = page_find_field(text, len, "timestamp");
	struct field commit = page_find_field(text, len, "commit");
	struct field data = page_find_field(text, len, "data");
	struct page_layout layout = {
		.time_offset = time.offset,
		.commit_offset = commit.offset,
		.commit_size = commit.size,
		.data_offset = data.offset,
		.big_endian = big_endian,
	};

	if (!time.found || !commit.found || !data.found)
		return err_set(err, -EINVAL, "no field '%s' in the page header",
			       !time.found   ? "timestamp" :
			       !commit.found ? "commit" :
					       "data");
	if (time.size != 8 || (commit.size != 4 && commit.size != 8) ||
	    time.offset > PAGE_SIZE_MAX || commit.offset > PAGE_SIZE_MAX ||
	    data.offset > PAGE_SIZE_MAX || data.size > PAGE_SIZE_MAX)
		return err_set(err, -EINVAL, "invalid field sizes in the page header");
	layout.size = data.offset + data.size;
	if (!page_layout_fits(&layout, layout.size))
		return err_set(err, -EINVAL, "invalid page size in the page header");
	*ret_layout = layout;
	return 0;
}

struct page_layout page_layout_default(uint32_t long_size, uint32_t page_size, bool big_endian)
{
	uint32_t commit_size = long_size == 4 ? 4 : 8;

	return (struct page_layout){
		.size = page_size,
		.time_offset = 0,
		.commit_offset = 8,
		.commit_size = commit_size,
		.data_offset = 8 + commit_size,
		.big_endian = big_endian,
	};
}

static uint64_t load_long(const struct page_layout *layout, const uint8_t *p)
{
	return layout->commit_size == 8 ? load_u64(p, layout->big_endian) :
					  load_u32(p, layout->big_endian);
}

struct page_head page_head_read(const struct page_layout *layout, const uint8_t *page,
				uint32_t avail)
{
	struct page_head head = { .end = layout->data_offset };
	uint32_t room, length;
	uint64_t commit;

	if (avail < layout->data_offset) {
		head.end = 0;
		head.too_long = avail > 0;
		return head;
	}
	head.time = load_u64(page + layout->time_offset, layout->big_endian);
	commit = load_long(layout, page + layout->commit_offset);
	length = (uint32_t)commit & COMMIT_LENGTH;
	room = avail - layout->data_offset;
	head.too_long = length > room;
	if (head.too_long)
		length = room;
	head.end = layout->data_offset + length;
	if (commit & PAGE_COMMIT_MISSED) {
		head.missed = PAGE_MISSED_UNKNOWN;
		if ((commit & PAGE_COMMIT_STORED) && room - length >= layout->commit_size)
			head.missed = load_long(layout, page + head.end);
	}
	return head;
}

bool page_iter_tail(struct page_iter *it, const uint8_t *page, bool big)
{
	uint32_t word;

	if (it->end - it->pos < 4)
		return false;
	/* Four bytes can only be padding without a time. */
	word = load_u32(page + it->pos, big);
	if (word != (big ? (uint32_t)PAGE_TYPE_PADDING << 27 : PAGE_TYPE_PADDING))
		return false;
	it->pos = it->end;
	return true;
}

/* At least 8 bytes are left. */
int page_iter_rare(struct page_iter *it, const uint8_t *page, bool big,
		   struct page_event *ret_event)
{
	uint32_t left = it->end - it->pos;
	uint32_t word = load_u32(page + it->pos, big);
	uint32_t next = load_u32(page + it->pos + 4, big);
	uint32_t type = big ? word >> 27 : word & 31;
	uint64_t delta = big ? word & ((1U << 27) - 1) : word >> 5;

	switch (type) {
	case PAGE_TYPE_PADDING:
		if (!delta) {
			/* The kernel's marker for the end of a page's data. */
			it->pos = it->end;
			return 0;
		}
		if (next < 4 || next > left - 4)
			return -EBADMSG;
		it->time += delta;
		it->pos += 4 + next;
		return it->pos % 4 ? -EBADMSG : 2;
	case PAGE_TYPE_TIME_EXTEND:
		it->time += ((uint64_t)next << PAGE_TIME_SHIFT) + delta;
		it->pos += 8;
		return 2;
	case PAGE_TYPE_TIME_STAMP:
		it->time = (it->time & PAGE_TIME_MISSING) | ((uint64_t)next << PAGE_TIME_SHIFT) |
			   delta;
		it->pos += 8;
		return 2;
	case 0:
		/* The length includes itself; the kernel rounded it up. */
		if (next < 4 || next > left - 4 || ((next + 3) & ~3U) > left - 4)
			return -EBADMSG;
		next = (next + 3) & ~3U;
		it->time += delta;
		*ret_event = (struct page_event){
			.time = it->time,
			.offset = it->pos,
			.data = it->pos + 8,
			.size = next - 4,
		};
		it->pos += 4 + next;
		return 1;
	default:
		return -EBADMSG;
	}
}
