/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/xml.h"

#include <string.h>

#include "base/quote.h"

static void put_char(struct strbuf *buf, char c)
{
	if (strchr("&<>\"'", c))
		strbuf_addf(buf, "&#%d;", c);
	else
		strbuf_addc(buf, c);
}

void xml_put(struct strbuf *buf, const char *text, size_t max)
{
	size_t len = strlen(text);

	while (len && max) {
		char shown[QUOTE_SIZE];
		size_t n = quote_next(text, len, true, shown);
		uint32_t c = 0;

		if (!shown[0] && n > 1 && quote_utf8(text, len, &c)) {
			strbuf_addf(buf, "&#%u;", c);
			max--;
		} else {
			const char *s = shown[0] ? shown : text;

			for (size_t i = 0; max && i < (shown[0] ? strlen(shown) : 1); i++, max--)
				put_char(buf, s[i]);
		}
		text += n;
		len -= n;
	}
}
