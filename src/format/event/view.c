/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/view.h"

#include <string.h>

#include "format/bytes.h"

static long read_bytes(void *ctx, uint64_t offset, void *buf, size_t size)
{
	memcpy(buf, (const uint8_t *)ctx + offset, size);
	return (long)size;
}

struct view view_of_bytes(const void *bytes, size_t size)
{
	return (struct view){ .size = size, .read = read_bytes, .ctx = (void *)(uintptr_t)bytes };
}

void reader_init(struct reader *reader, const struct view *view, uint64_t pos, uint64_t end,
		 bool big)
{
	reader->view = view;
	reader->end = end < view->size ? end : view->size;
	reader->pos = pos < reader->end ? pos : reader->end;
	reader->failed = pos > reader->end;
	reader->big = big;
	reader->window_pos = 0;
	reader->window_len = 0;
}

/*
 * Returns the next @size bytes (at most the window), or NULL and sets @failed if they don't exist.
 */
static const uint8_t *view_look(struct reader *reader, size_t size)
{
	uint64_t left = reader_left(reader);
	uint64_t in_window = reader->pos - reader->window_pos;

	if (reader->failed || size > left) {
		reader->failed = true;
		return NULL;
	}
	if (reader->pos < reader->window_pos || in_window > reader->window_len ||
	    reader->window_len - in_window < size) {
		size_t want = left < sizeof(reader->window) ? (size_t)left : sizeof(reader->window);
		long got = reader->view->read(reader->view->ctx, reader->pos, reader->window, want);

		reader->window_pos = reader->pos;
		reader->window_len = got > 0 ? (size_t)got : 0;
		if (reader->window_len < size) {
			reader->failed = true;
			return NULL;
		}
		in_window = 0;
	}
	return reader->window + in_window;
}

uint8_t reader_u8(struct reader *reader)
{
	const uint8_t *p = view_look(reader, 1);

	if (!p)
		return 0;
	reader->pos += 1;
	return *p;
}

uint16_t reader_u16(struct reader *reader)
{
	const uint8_t *p = view_look(reader, 2);

	if (!p)
		return 0;
	reader->pos += 2;
	return load_u16(p, reader->big);
}

uint32_t reader_u32(struct reader *reader)
{
	const uint8_t *p = view_look(reader, 4);

	if (!p)
		return 0;
	reader->pos += 4;
	return load_u32(p, reader->big);
}

uint64_t reader_u64(struct reader *reader)
{
	const uint8_t *p = view_look(reader, 8);

	if (!p)
		return 0;
	reader->pos += 8;
	return load_u64(p, reader->big);
}

void reader_skip(struct reader *reader, uint64_t size)
{
	if (reader->failed || size > reader_left(reader))
		reader->failed = true;
	else
		reader->pos += size;
}

void reader_bytes(struct reader *reader, void *buf, size_t size)
{
	uint8_t *out = buf;

	memset(buf, 0, size);
	if (size > reader_left(reader))
		reader->failed = true;
	while (size && !reader->failed) {
		size_t n = size < sizeof(reader->window) ? size : sizeof(reader->window);
		const uint8_t *p = view_look(reader, n);

		if (!p)
			break;
		memcpy(out, p, n);
		reader->pos += n;
		out += n;
		size -= n;
	}
}

const char *reader_string(struct reader *reader)
{
	uint64_t left = reader_left(reader);
	size_t most = left < sizeof(reader->window) ? (size_t)left : sizeof(reader->window);
	const uint8_t *p, *nul;

	/* Most strings are short and in the window already. */
	for (size_t n = most < 64 ? most : 64; n && (p = view_look(reader, n)); n = most) {
		nul = memchr(p, 0, n);
		if (nul) {
			reader->pos += (uint64_t)(nul - p) + 1;
			return (const char *)p;
		}
		if (n == most)
			break;
	}
	reader->failed = true;
	return "";
}

bool reader_expect(struct reader *reader, const void *bytes, size_t size)
{
	const uint8_t *p = view_look(reader, size);

	if (!p || memcmp(p, bytes, size) != 0)
		return false;
	reader->pos += size;
	return true;
}
