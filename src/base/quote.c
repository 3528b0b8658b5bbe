/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/quote.h"

#include <langinfo.h>
#include <string.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/str.h"

/* Also different in brightness, for readers who cannot distinguish red from green. */
const char quote_styles[QUOTE_STYLES][QUOTE_STYLE_SIZE] = {
	[QUOTE_PLAIN] = "\033[0m",  [QUOTE_BOLD] = "\033[1m",	 [QUOTE_FAINT] = "\033[2m",
	[QUOTE_GREEN] = "\033[32m", [QUOTE_YELLOW] = "\033[33m", [QUOTE_BOLD_RED] = "\033[1;31m",
	[QUOTE_CYAN] = "\033[36m",
};

static bool is_own_style(const char *s)
{
	uintptr_t first = (uintptr_t)quote_styles;

	return (uintptr_t)s >= first && (uintptr_t)s < first + sizeof(quote_styles);
}

size_t quote_utf8(const char *text, size_t len, uint32_t *ret_char)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80 ? 1 :
		   s[0] < 0xc2 ? 0 :
		   s[0] < 0xe0 ? 2 :
		   s[0] < 0xf0 ? 3 :
		   s[0] < 0xf5 ? 4 :
				 0;
	uint32_t c;

	if (n == 0 || n > len)
		return 0;
	c = n == 1 ? s[0] : s[0] & (0xffU >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret_char = c;
	return n;
}

/* Non-ASCII characters that are control characters, invisible, or change the order of others. */
static bool quote_is_hidden(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{ 0x80, 0x9f }, /* C1 control characters */
		{ 0xad, 0xad }, /* soft hyphen */
		{ 0x61c, 0x61c }, /* bidirectional: Arabic letter mark */
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, /* zero width, bidirectional marks */
		{ 0x2028, 0x202e }, /* line and paragraph separators, bidirectional */
		{ 0x2060, 0x206f }, /* invisible operators, bidirectional isolates */
		{ 0xfeff, 0xfeff }, /* byte order mark */
		{ 0xfff0, 0xfffb }, { 0xe0000, 0xe0fff }, /* tags */
	};

	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return true;
	return false;
}

static bool quote_is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f;
}

/* Bytes compared in parallel; as signed numbers, non-ASCII bytes are less than all others. */
typedef signed char lanes __attribute__((vector_size(16)));

#define BLOCK_SIZE (4 * sizeof(lanes))

/*
 * Returns whether the text consists of printable ASCII and line breaks. Tabs are rare and take the
 * slow path.
 */
static inline bool block_is_plain(const char *s)
{
	lanes good = ~(lanes){ 0 };
	uint64_t halves[2];

	for (unsigned i = 0; i < 4; i++) {
		lanes c;

		memcpy(&c, s + i * sizeof(c), sizeof(c));
		good &= ((c > ' ' - 1) ^ (c == 0x7f)) | (c == '\n');
	}
	memcpy(halves, &good, sizeof(halves));
	return (halves[0] & halves[1]) == UINT64_MAX;
}

size_t quote_plain_lines(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len) {
		size_t end = len - n < BLOCK_SIZE ? len : n + BLOCK_SIZE;

		if (end - n == BLOCK_SIZE && block_is_plain(s + n))
			n = end;
		while (n < end) {
			n += quote_plain(s + n, end - n);
			if (n == end)
				break;
			if (s[n] != '\n' && s[n] != '\t')
				return n;
			n++;
		}
	}
	return n;
}

static const char hex_digits[] = "0123456789abcdef";

/* Writes the escape of a number: @letter and @digits digits. */
static void quote_put_number(char *shown, char letter, uint32_t n, unsigned digits)
{
	*shown++ = '\\';
	*shown++ = letter;
	while (digits--)
		*shown++ = hex_digits[n >> 4 * digits & 15];
	*shown = '\0';
}

static void put_byte(char *shown, unsigned char c)
{
	static const char letters[] = "\nn\tt\rr";
	const char *l = letters;

	while (*l && (unsigned char)*l != c)
		l += 2;
	if (!*l) {
		quote_put_number(shown, 'x', c, 2);
		return;
	}
	shown[0] = '\\';
	shown[1] = l[1];
	shown[2] = '\0';
}

size_t quote_next(const char *s, size_t len, bool utf8, char ret_shown[QUOTE_SIZE])
{
	unsigned char byte = (unsigned char)*s;
	uint32_t c = 0;
	size_t n;

	ret_shown[0] = '\0';
	if (quote_is_plain(byte))
		return 1;
	n = byte < 0x80 || !utf8 ? 0 : quote_utf8(s, len, &c);
	if (n == 0) {
		put_byte(ret_shown, byte);
		return 1;
	}
	if (quote_is_hidden(c))
		quote_put_number(ret_shown, c > 0xffff ? 'U' : 'u', c, c > 0xffff ? 8 : 4);
	return n;
}

bool quote_locale_utf8(void)
{
	return str_eq(nl_langinfo(CODESET), "UTF-8");
}

size_t quote_glyph(const char *s, size_t len, size_t *ret_columns)
{
	char shown[QUOTE_SIZE];
	uint32_t c = 0;
	size_t n;
	int width;

	*ret_columns = 1;
	if (quote_is_plain((unsigned char)*s))
		return 1;
	n = quote_next(s, len, quote_locale_utf8(), shown);
	if (shown[0]) {
		*ret_columns = strlen(shown);
	} else {
		width = quote_utf8(s, len, &c) ? wcwidth((wchar_t)c) : -1;
		*ret_columns = width < 0 ? 1 : (size_t)width;
	}
	return n;
}

size_t quote_columns_of(const char *s, size_t len)
{
	size_t sum = 0, columns;

	while (len) {
		size_t n = quote_plain(s, len);

		columns = n;
		if (!n)
			n = quote_glyph(s, len, &columns);
		sum += columns;
		s += n;
		len -= n;
	}
	return sum;
}

size_t quote_columns(const char *s)
{
	return quote_columns_of(s, strlen(s));
}

/* Collects quoted text, so that a message is a single write. */
struct sheet {
	void (*put)(void *to, const char *s, size_t len);
	void *to;
	bool utf8;
	size_t n;
	char bytes[512];
};

static void sheet_flush(struct sheet *sheet)
{
	if (sheet->n)
		sheet->put(sheet->to, sheet->bytes, sheet->n);
	sheet->n = 0;
}

static void sheet_put(struct sheet *sheet, const char *s, size_t len)
{
	while (len) {
		size_t room = sizeof(sheet->bytes) - sheet->n;
		size_t n = len < room ? len : room;

		memcpy(sheet->bytes + sheet->n, s, n);
		sheet->n += n;
		if (sheet->n == sizeof(sheet->bytes))
			sheet_flush(sheet);
		s += n;
		len -= n;
	}
}

static void sheet_fill(struct sheet *sheet, size_t n)
{
	while (n--)
		sheet_put(sheet, " ", 1);
}

/* Writes @s quoted, or only counts if @sheet is NULL. Returns the number of bytes. */
static size_t sheet_quote(struct sheet *sheet, const char *s, size_t len, bool utf8)
{
	size_t made = 0;

	while (len) {
		size_t n = quote_plain(s, len), shown_len = n;
		char escape[QUOTE_SIZE];
		const char *shown = s;

		if (!n) {
			n = quote_next(s, len, utf8, escape);
			shown = escape[0] ? escape : s;
			shown_len = escape[0] ? strlen(escape) : n;
		}
		if (sheet)
			sheet_put(sheet, shown, shown_len);
		made += shown_len;
		s += n;
		len -= n;
	}
	return made;
}

/* One conversion of a format. */
struct conversion {
	char flags[8];
	bool left;
	int width; /* -1: none */
	int precision; /* -1: none */
	char length; /* 'l' for 8 bytes, 0: an int */
	bool is_long_double;
	char letter;
};

static int quote_take_count(const char **p, va_list *ap)
{
	int n = 0;

	if (**p == '*') {
		(*p)++;
		return va_arg(*ap, int);
	}
	for (; **p >= '0' && **p <= '9'; (*p)++)
		n = n < 100000 ? n * 10 + (**p - '0') : n;
	return n;
}

/* Parses the part after the '%'. */
static struct conversion conversion_read(const char **p, va_list *ap)
{
	struct conversion c = { .width = -1, .precision = -1 };
	size_t n = 0;

	for (; **p && strchr("-+ #0'", **p); (*p)++) {
		c.left |= **p == '-';
		if (n + 1 < sizeof(c.flags))
			c.flags[n++] = **p;
	}
	if (**p == '*' || (**p >= '0' && **p <= '9'))
		c.width = quote_take_count(p, ap);
	if (c.width < -1) {
		c.left = true;
		c.width = -c.width;
		if (n + 1 < sizeof(c.flags))
			c.flags[n++] = '-';
	}
	if (**p == '.') {
		(*p)++;
		c.precision = quote_take_count(p, ap);
	}
	for (; **p && strchr("hlLqjzt", **p); (*p)++) {
		if (strchr("lqjzt", **p))
			c.length = 'l';
		c.is_long_double |= **p == 'L';
	}
	c.letter = **p;
	if (**p)
		(*p)++;
	return c;
}

static void quote_put_string(struct sheet *sheet, const struct conversion *c, const char *s)
{
	size_t len = !s ? 0 : c->precision >= 0 ? strnlen(s, (size_t)c->precision) : strlen(s);
	size_t width = c->width > 0 ? (size_t)c->width : 0;
	size_t shown = width ? quote_columns_of(s, len) : 0;
	size_t blanks = shown < width ? width - shown : 0;

	if (is_own_style(s)) {
		sheet_put(sheet, s, len);
		return;
	}
	if (!c->left)
		sheet_fill(sheet, blanks);
	sheet_quote(sheet, s, len, sheet->utf8);
	if (c->left)
		sheet_fill(sheet, blanks);
}

/* Numbers and single characters are never names, so printf formats them. */
static void quote_put_value(struct sheet *sheet, const struct conversion *c, va_list *ap)
{
	char fmt[64], made[512], width[16] = "", precision[16] = "";
	int n;

	if (c->width >= 0)
		(void)snprintf(width, sizeof(width), "%d", c->width < 400 ? c->width : 400);
	if (c->precision >= 0)
		(void)snprintf(precision, sizeof(precision), ".%d",
			       c->precision < 100 ? c->precision : 100);
	(void)snprintf(fmt, sizeof(fmt), "%%%s%s%s%s%c", c->flags, width, precision,
		       c->length ? "l" : "", c->letter);
	if (strchr("eEfFgGaA", c->letter))
		n = snprintf(made, sizeof(made), fmt,
			     c->is_long_double ? (double)va_arg(*ap, long double) :
						 va_arg(*ap, double));
	else if (c->letter == 'p')
		n = snprintf(made, sizeof(made), fmt, va_arg(*ap, void *));
	else if (c->length)
		n = snprintf(made, sizeof(made), fmt, va_arg(*ap, long));
	else
		n = snprintf(made, sizeof(made), fmt, va_arg(*ap, int));
	if (n < 0)
		return;
	n = (size_t)n < sizeof(made) ? n : (int)sizeof(made) - 1;
	if (c->letter == 'c')
		sheet_quote(sheet, made, (size_t)n, sheet->utf8);
	else
		sheet_put(sheet, made, (size_t)n);
}

static void sheet_vprintf(struct sheet *sheet, const char *fmt, va_list ap)
{
	va_list args;

	va_copy(args, ap);
	while (*fmt) {
		const char *percent = strchrnul(fmt, '%');
		struct conversion c;

		sheet_put(sheet, fmt, (size_t)(percent - fmt));
		fmt = percent;
		if (!*fmt)
			break;
		fmt++;
		c = conversion_read(&fmt, &args);
		if (c.letter == '%')
			sheet_put(sheet, "%", 1);
		else if (c.letter == 's')
			quote_put_string(sheet, &c, va_arg(args, const char *));
		else if (c.letter)
			quote_put_value(sheet, &c, &args);
	}
	va_end(args);
	sheet_flush(sheet);
}

static void put_to_text(void *to, const char *s, size_t len)
{
	text_bytes(to, s, len);
}

static void put_to_strbuf(void *to, const char *s, size_t len)
{
	strbuf_add(to, s, len);
}

static void put_to_stream(void *to, const char *s, size_t len)
{
	(void)fwrite(s, 1, len, to);
}

void quote_text_odd(struct text *text, const char *s, size_t len)
{
	struct sheet sheet;

	sheet.put = put_to_text;
	sheet.to = text;
	sheet.n = 0;
	sheet_quote(&sheet, s, len, true);
	sheet_flush(&sheet);
}

void quote_add(struct strbuf *buf, const char *s, size_t len)
{
	struct sheet sheet;

	sheet.put = put_to_strbuf;
	sheet.to = buf;
	sheet.n = 0;
	sheet_quote(&sheet, s, len, true);
	sheet_flush(&sheet);
}

size_t quote_length(const char *s)
{
	return sheet_quote(NULL, s, strlen(s), true);
}

void quote_adds(struct strbuf *buf, const char *s)
{
	if (is_own_style(s))
		strbuf_adds(buf, s);
	else
		quote_add(buf, s, strlen(s));
}

void quote_vaddf(struct strbuf *buf, const char *fmt, va_list ap)
{
	struct sheet sheet;

	sheet.put = put_to_strbuf;
	sheet.to = buf;
	sheet.utf8 = true;
	sheet.n = 0;
	sheet_vprintf(&sheet, fmt, ap);
}

void quote_addf(struct strbuf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	quote_vaddf(buf, fmt, ap);
	va_end(ap);
}

void quote_vformat(char *buf, size_t size, const char *fmt, va_list ap)
{
	struct sheet sheet;
	struct text text;

	text_init(&text, buf, size - 1);
	sheet.put = put_to_text;
	sheet.to = &text;
	sheet.utf8 = true;
	sheet.n = 0;
	sheet_vprintf(&sheet, fmt, ap);
	*text.p = '\0';
}

void quote_format(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	quote_vformat(buf, size, fmt, ap);
	va_end(ap);
}

void quote_vprintf(FILE *stream, const char *fmt, va_list ap)
{
	struct sheet sheet;

	sheet.put = put_to_stream;
	sheet.to = stream;
	sheet.utf8 = quote_locale_utf8();
	sheet.n = 0;
	sheet_vprintf(&sheet, fmt, ap);
}

void quote_printf(FILE *stream, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	quote_vprintf(stream, fmt, ap);
	va_end(ap);
}

void quote_print_bytes(FILE *stream, const char *text, size_t len)
{
	struct sheet sheet;

	sheet.put = put_to_stream;
	sheet.to = stream;
	sheet.n = 0;
	sheet.utf8 = quote_locale_utf8();
	while (len) {
		const char *end = text;

		while (end < text + len && *end != '\n' && *end != '\t')
			end++;
		sheet_quote(&sheet, text, (size_t)(end - text), sheet.utf8);
		len -= (size_t)(end - text);
		text = end;
		if (len) {
			sheet_put(&sheet, text++, 1);
			len--;
		}
	}
	sheet_flush(&sheet);
}

void quote_print_lines(FILE *stream, const char *text)
{
	quote_print_bytes(stream, text, strlen(text));
}
