/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/csv.h"

void csv_put(struct strbuf *buf, const char *text)
{
	strbuf_addc(buf, '"');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_addc(buf, '"');
		strbuf_addc(buf, *text);
	}
	strbuf_addc(buf, '"');
}
