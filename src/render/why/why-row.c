/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/why/why-row.h"

#include <errno.h>

#include "base/quote.h"

#define COLUMN 16 /* in which the text begins */

int why_put_row(struct out *out, const char *what, struct strbuf *text)
{
	if (text->err)
		return -ENOMEM;
	quote_printf(out->stream, "  %s%-13s%s ", out_style(out, OUT_FAINT), what,
		     out_style(out, OUT_PLAIN));
	out_wrap(out, COLUMN, COLUMN, text->s ?: "");
	strbuf_clear(text);
	return 0;
}
