/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/csv.h"

#include <string.h>

#include "base/quote.h"

/*
 * Returns whether a spreadsheet would evaluate the text: it begins with one of four characters, and
 * is not just a signed number.
 */
static bool is_formula(const char *s, size_t len)
{
	if (!len || !memchr("=+-@", s[0], 4))
		return false;
	if (s[0] == '=' || s[0] == '@')
		return true;
	for (size_t i = 1; i < len; i++)
		if ((s[i] < '0' || s[i] > '9') && s[i] != '.')
			return true;
	return len == 1;
}

void csv_text(struct text *text, const char *s, size_t len)
{
	text_char(text, '"');
	if (is_formula(s, len))
		text_char(text, '\'');
	while (len) {
		const char *mark = memchr(s, '"', len);
		size_t n = mark ? (size_t)(mark - s) : len;

		quote_text(text, s, n);
		if (mark) {
			text_bytes(text, "\"\"", 2);
			n++;
		}
		s += n;
		len -= n;
	}
	text_char(text, '"');
}

void csv_put(struct strbuf *buf, const char *text)
{
	strbuf_addc(buf, '"');
	if (is_formula(text, strlen(text)))
		strbuf_addc(buf, '\'');
	while (*text) {
		size_t n = strcspn(text, "\"");

		quote_add(buf, text, n);
		text += n;
		if (*text) {
			strbuf_adds(buf, "\"\"");
			text++;
		}
	}
	strbuf_addc(buf, '"');
}

void csv_put_bare(struct strbuf *buf, const char *text)
{
	if (strpbrk(text, ",\"\r\n") || is_formula(text, strlen(text)))
		csv_put(buf, text);
	else
		quote_adds(buf, text);
}
