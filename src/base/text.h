/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fast formatting into a fixed buffer, without allocation and stdio. Output that exceeds the buffer
 * is dropped and sets @cut, so that a caller checks once, at the end. The text is not
 * NUL-terminated unless text_end() is called.
 */
#ifndef FATHOM_BASE_TEXT_H
#define FATHOM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	char *s; /* start of the buffer */
	char *p; /* where the next character goes */
	char *end; /* one behind the last usable byte */
	bool cut; /* something did not fit */
};

/* How to format a number: the flags of a printf(3) conversion. */
struct text_number {
	uint64_t value; /* the absolute value */
	uint16_t width;
	int16_t precision; /* -1: none */
	uint8_t base; /* 8, 10 or 16 */
	bool negative;
	bool left; /* '-' */
	bool zero; /* '0' */
	bool plus; /* '+' */
	bool space; /* ' ' */
	bool prefix; /* '#' */
	bool upper; /* 'X' */
};

static inline void text_init(struct text *t, char *buf, size_t size)
{
	t->s = t->p = buf;
	t->end = buf + size;
	t->cut = false;
}

static inline size_t text_len(const struct text *t)
{
	return (size_t)(t->p - t->s);
}

static inline size_t text_room(const struct text *t)
{
	return (size_t)(t->end - t->p);
}

static inline void text_char(struct text *t, char c)
{
	if (t->p < t->end)
		*t->p++ = c;
	else
		t->cut = true;
}

/* The slow path of text_bytes(): writes as much of @s as there is room for. */
void text_bytes_cut(struct text *t, const char *s);

/* memcpy() with a known length is a few moves; the slow path is separate. */
static inline void text_bytes(struct text *t, const char *s, size_t len)
{
	if (__builtin_expect(len > text_room(t), 0)) {
		text_bytes_cut(t, s);
		return;
	}
	memcpy(t->p, s, len);
	t->p += len;
}

/* The same, for text of which TEXT_PAD bytes beyond the end can be read. */
#define TEXT_PAD 16
static inline void text_padded(struct text *t, const char *s, size_t len)
{
	if (len + TEXT_PAD > text_room(t)) {
		text_bytes(t, s, len);
		return;
	}
	for (size_t i = 0; i < len; i += TEXT_PAD)
		memcpy(t->p + i, s + i, TEXT_PAD);
	t->p += len;
}

static inline void text_str(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

/* The same for a string of which 7 bytes beyond its NUL can be read. */
static inline void text_padded_str(struct text *t, const char *s)
{
	const uint64_t ones = 0x0101010101010101;

	while (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && text_room(t) >= sizeof(uint64_t)) {
		uint64_t word, zeros;

		memcpy(&word, s, sizeof(word));
		memcpy(t->p, &word, sizeof(word));
		/* The lowest set bit belongs to the NUL. */
		zeros = (word - ones) & ~word & (ones << 7);
		if (zeros) {
			t->p += __builtin_ctzll(zeros) / 8;
			return;
		}
		t->p += sizeof(word);
		s += sizeof(word);
	}
	text_str(t, s);
}

void text_fill(struct text *t, char c, size_t n);

/* The same with spaces, for the few that indent a line. */
static inline void text_blanks(struct text *t, size_t n)
{
	if (n >= text_room(t) || text_room(t) - n < TEXT_PAD) {
		text_fill(t, ' ', n);
		return;
	}
	for (size_t i = 0; i < n; i += TEXT_PAD)
		memset(t->p + i, ' ', TEXT_PAD);
	t->p += n;
}

/* "00" to "99", concatenated. */
extern const char text_digit_pairs[200];

/* Writes a number below 100 as two digits. */
static inline void text_pair_at(char *p, unsigned n)
{
	memcpy(p, &text_digit_pairs[(size_t)n * 2], 2);
}

void text_u64(struct text *t, uint64_t n);
void text_s64(struct text *t, int64_t n);
/* Hexadecimal, lower case, no leading zeros, no prefix. */
void text_hex(struct text *t, uint64_t n);
/* Two hexadecimal digits. */
void text_hex_byte(struct text *t, unsigned char byte, bool upper);
void text_number(struct text *t, const struct text_number *number);
/* Pads the text since @start (an offset) to @width, as printf() does for %s. */
void text_pad(struct text *t, size_t start, size_t width, bool left);
/* Removes the text since @start (an offset). */
static inline void text_truncate(struct text *t, size_t start)
{
	if (start < text_len(t))
		t->p = t->s + start;
}
/*
 * Terminates the text with NUL, which overwrites the last character if the buffer is full, and
 * returns it.
 */
const char *text_end(struct text *t);

#endif
