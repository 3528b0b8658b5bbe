/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quoting of untrusted names. Tasks, files, symbols and markers have names that anyone can choose.
 * Shown unquoted, a name could control the terminal, start a new line, or reorder the text around
 * it. Each byte or character that could do so is shown as an escape: \n, \t, \r, \x1b (a byte),
 * \u202e (a character). Backslashes are not escaped, so quoting is idempotent.
 *
 * Names become text only through these functions, and those for JSON, CSV, SVG and folded stacks in
 * render/, which are built on them. tools/check-names enforces this.
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
 * Escape sequences of fathom's own colours. Passed for %s, they are not quoted: they are recognized
 * by address, not by content, because a name could have the same content.
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

/* The size of the longest escape, "\Ue0001", with its NUL. */
#define QUOTE_SIZE 12

/*
 * Decodes the UTF-8 character at @s. Returns its length, or 0 if it is invalid: overlong forms,
 * surrogates and values above U+10FFFF are.
 */
size_t quote_utf8(const char *s, size_t len, uint32_t *ret_char);

/*
 * Takes the next character of @s, where @len is at least 1, and returns its length. ret_shown[0] is
 * 0 if it can be shown unchanged; otherwise ret_shown is the escape. Without @utf8, everything
 * beyond ASCII is escaped.
 */
size_t quote_next(const char *s, size_t len, bool utf8, char ret_shown[QUOTE_SIZE]);

/* Returns the number of leading bytes of @s that are printable ASCII, which is never escaped. */
static inline size_t quote_plain(const char *s, size_t len)
{
	const uint64_t ones = 0x0101010101010101, tops = ones << 7;
	size_t i = 0;

	/* The top bit is set for bytes that are beyond ASCII, DEL, or below a space. */
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

/* The same for multi-line text: newlines and tabs count as printable. */
size_t quote_plain_lines(const char *s, size_t len);

/* Returns whether the character set of the locale is UTF-8. */
bool quote_locale_utf8(void);

/* The slow path of quote_text(). */
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
/* Returns the length of @s after quoting. */
size_t quote_length(const char *s);

/*
 * Takes the next character of @s, where @len is at least 1, and returns its length. @ret_columns is
 * its width on a terminal: 2 for wide characters, 0 for combining ones, the length of the escape
 * for those that are quoted.
 */
size_t quote_glyph(const char *s, size_t len, size_t *ret_columns);
/* Returns the width of @s on a terminal, after quoting. */
size_t quote_columns(const char *s);
size_t quote_columns_of(const char *s, size_t len);

void quote_add(struct strbuf *buf, const char *s, size_t len);
void quote_adds(struct strbuf *buf, const char *s);

/*
 * As printf(3), with the arguments of %s quoted. The precision counts bytes of the name, the width
 * columns of the output.
 */
void quote_addf(struct strbuf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void quote_vaddf(struct strbuf *buf, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Truncates to @size and always terminates with NUL. Does not allocate. */
void quote_vformat(char *buf, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
void quote_format(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* These quote for the character set of the locale. */
void quote_printf(FILE *stream, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void quote_vprintf(FILE *stream, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/*
 * Prints multi-line text, such as a message. Newlines and tabs are kept, everything else is quoted.
 */
void quote_print_lines(FILE *stream, const char *text);
void quote_print_bytes(FILE *stream, const char *text, size_t len);

#endif
