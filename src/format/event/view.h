/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes at offsets, wherever they are: the parsers read a file, a decompressed
 * section or a fuzzer's input through the same two structs.
 *
 * A reader remembers that it ran out of bytes: what it returns afterwards is zero
 * or empty, and the caller looks at @failed once, after a group of reads.
 */
#ifndef FATHOM_FORMAT_EVENT_VIEW_H
#define FATHOM_FORMAT_EVENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct view {
	uint64_t size;
	/* Copies what is there of @size bytes from @offset; the number of bytes or a negative errno. */
	long (*read)(void *ctx, uint64_t offset, void *buf, size_t size);
	void *ctx;
};

/* A view of @size bytes in memory, which must outlive it. */
struct view view_of_bytes(const void *bytes, size_t size);

/* Names in the file are short; a longer one is damage. */
#define READER_STRING_MAX 4096

struct reader {
	const struct view *view;
	uint64_t pos;
	uint64_t end; /* nothing is read from here on */
	bool big;
	bool failed; /* read past the end, or the medium failed */
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
/* The NUL-terminated string that comes; valid until the next call. "" when there is none. */
const char *reader_string(struct reader *reader);
/* Are these the bytes that come? They are passed over when they are. */
bool reader_expect(struct reader *reader, const void *bytes, size_t size);
static inline uint64_t reader_left(const struct reader *reader)
{
	return reader->end - reader->pos;
}

#endif
