/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing text into a fixed buffer, fast: no allocation, no stdio. What does not
 * fit is left out and remembered in @cut, so that a caller writes many times and
 * looks once. The text is not NUL-terminated unless text_end() is called.
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

/* How a number is written; the fields of a printf conversion. */
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

static inline void text_bytes(struct text *t, const char *s, size_t len)
{
	if (len > text_room(t)) {
		len = text_room(t);
		t->cut = true;
	}
	memcpy(t->p, s, len);
	t->p += len;
}

/* The same for text that TEXT_PAD more bytes may be read of, as they are for what was made so. */
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

void text_fill(struct text *t, char c, size_t n);
void text_u64(struct text *t, uint64_t n);
void text_s64(struct text *t, int64_t n);
/* Hexadecimal, lower case, no leading zeros, no prefix. */
void text_hex(struct text *t, uint64_t n);
/* Two hexadecimal digits. */
void text_hex_byte(struct text *t, unsigned char byte, bool upper);
void text_number(struct text *t, const struct text_number *number);
/* Pads what was written since @start (an offset) to @width, as printf does with %s. */
void text_pad(struct text *t, size_t start, size_t width, bool left);
/* Forgets what was written since @start (an offset). */
static inline void text_truncate(struct text *t, size_t start)
{
	if (start < text_len(t))
		t->p = t->s + start;
}
/* Terminates with NUL, over the last character when the buffer is full, and returns the text. */
const char *text_end(struct text *t);

#endif
