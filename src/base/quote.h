/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names for people. The name of a task, a path, a symbol or a marker comes from anywhere, and
 * whoever chose it must not be able to command a terminal, to begin a line of its own, or to make
 * text read in another order than it is written. Each byte or character that could is shown as
 * an escape: \n, \t, \r, \x1b (a byte), \u202e (a character). Backslashes stay as they are, so
 * text that was quoted is not changed by quoting it again.
 *
 * This is the only way by which a name becomes text for people; JSON, CSV, SVG and folded stacks
 * have theirs in render/, which are built on this one. tools/check-names enforces it.
 */
#ifndef FATHOM_BASE_QUOTE_H
#define FATHOM_BASE_QUOTE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"

/*
 * The escape sequences of our own colours. As an argument for %s they pass, because of where they
 * are, not of what they say: a name can say the same.
 */
enum quote_style {
	QUOTE_PLAIN, /* ends each of the others */
	QUOTE_BOLD,
	QUOTE_FAINT,
	QUOTE_GREEN,
	QUOTE_YELLOW,
	QUOTE_BOLD_RED,
	QUOTE_CYAN,
	QUOTE_STYLES,
};

#define QUOTE_STYLE_SIZE 8
extern const char quote_styles[QUOTE_STYLES][QUOTE_STYLE_SIZE];

/* Room for the longest escape, "\Ue0001", with its NUL. */
#define QUOTE_SIZE 12

/*
 * How many bytes the UTF-8 character at @s has, with its number in *@ret_char; 0: it is none.
 * Overlong forms, surrogates and what lies beyond U+10FFFF are none.
 */
size_t quote_utf8(const char *s, size_t len, uint32_t *ret_char);

/*
 * Takes what is next of @s, of which there is at least a byte, and returns how many bytes that
 * were. ret_shown[0] is 0 when they may be shown as they are, else it has the escape. Without
 * @utf8 only ASCII may be shown.
 */
size_t quote_next(const char *s, size_t len, bool utf8, char ret_shown[QUOTE_SIZE]);

/* How many bytes at the beginning of @s are printable ASCII; these are never escaped. */
static inline size_t quote_plain(const char *s, size_t len)
{
	const uint64_t ones = 0x0101010101010101, tops = ones << 7;
	size_t i = 0;

	/* A top bit is set where a byte is beyond ASCII, DEL, or below a blank. */
	for (; len - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, s + i, sizeof(word));
		if ((word | (word + ones) | (((word | tops) - ones * ' ') ^ tops)) & tops)
			break;
	}
	while (i < len && s[i] >= ' ' && s[i] < 0x7f)
		i++;
	return i;
}

/* The same, where line breaks and tabs are as good: for long texts. */
size_t quote_plain_lines(const char *s, size_t len);

/* Does the user's character set hold UTF-8? */
bool quote_locale_utf8(void);

/* For quote_text(): what is not plain. */
void quote_text_odd(struct text *text, const char *s, size_t len);

static inline void quote_text(struct text *text, const char *s, size_t len)
{
	if (__builtin_expect(quote_plain(s, len) == len, 1))
		text_bytes(text, s, len);
	else
		quote_text_odd(text, s, len);
}

static inline void quote_text_str(struct text *text, const char *s)
{
	quote_text(text, s, strlen(s));
}
/* How many bytes @s has when it is quoted. */
size_t quote_length(const char *s);

void quote_add(struct strbuf *buf, const char *s, size_t len);
void quote_adds(struct strbuf *buf, const char *s);

/*
 * As the functions of stdio with that name, but what %s stands for is quoted. Width and precision
 * are those of printf: the precision counts bytes of the name, the width bytes of what is shown.
 */
void quote_addf(struct strbuf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void quote_vaddf(struct strbuf *buf, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Cuts what has no room, and always ends with a NUL. Allocates nothing. */
void quote_vformat(char *buf, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
void quote_format(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* In the user's character set. */
void quote_printf(FILE *stream, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void quote_vprintf(FILE *stream, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Text of several lines, whose line breaks and tabs are meant: a message. All else is quoted. */
void quote_print_lines(FILE *stream, const char *text);
void quote_print_bytes(FILE *stream, const char *text, size_t len);

#endif
