/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random access to bytes, wherever they are: parsers read a file, a decompressed section or a
 * fuzzer's input through the same two structs.
 *
 * A reader has a sticky error. Once it ran out of bytes, every read returns zero or "", and the
 * caller checks @failed once, after a group of reads. A reader belongs to one thread; a view can be
 * shared if its read() can.
 */
#ifndef FATHOM_FORMAT_EVENT_VIEW_H
#define FATHOM_FORMAT_EVENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view {
	uint64_t size;
	/* Copies up to @size bytes at @offset. Returns the number of bytes or a negative errno. */
	long (*read)(void *ctx, uint64_t offset, void *buf, size_t size);
	void *ctx;
};

/* Returns a view of @size bytes in memory, which must outlive it. */
struct view view_of_bytes(const void *bytes, size_t size);

/* The longest string, with its NUL; a longer one is treated as damage. */
#define READER_STRING_MAX 4096

struct reader {
	const struct view *view;
	uint64_t pos;
	uint64_t end; /* reads stop here */
	bool big;
	bool failed; /* read past the end, or the view returned an error */
	uint64_t window_pos;
	size_t window_len;
	uint8_t window[READER_STRING_MAX];
};

void reader_init(struct reader *reader, const struct view *view, uint64_t pos, uint64_t end,
		 bool big);
uint8_t reader_u8(struct reader *reader);
uint16_t reader_u16(struct reader *reader);
uint32_t reader_u32(struct reader *reader);
uint64_t reader_u64(struct reader *reader);
void reader_skip(struct reader *reader, uint64_t size);
void reader_bytes(struct reader *reader, void *buf, size_t size);
/* Returns the NUL-terminated string at @pos, valid until the next call; "" on failure. */
const char *reader_string(struct reader *reader);
/* Skips @size bytes if they are equal to @bytes; otherwise returns false and does not move. */
bool reader_expect(struct reader *reader, const void *bytes, size_t size);
static inline uint64_t reader_left(const struct reader *reader)
{
	return reader->end - reader->pos;
}

#endif
