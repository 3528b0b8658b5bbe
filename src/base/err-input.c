/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/err-input.h"

#include <ctype.h>
#include <string.h>

#include "base/quote.h"

/* Length of the context shown before the error, and in total. */
#define SHOWN_BEFORE 70
#define SHOWN	     120
/* Room for the message, so that the text and the caret always fit. */
#define MESSAGE_MAX (FATHOM_ERR_MESSAGE_SIZE - 2 * SHOWN - 16)

void err_show_input(struct fathom_err *err, const char *text)
{
	char shown[SHOWN + 1], escape[QUOTE_SIZE];
	size_t len = strlen(text), used, n = 0, column = 0, step, from;

	if (!err || !err->at_offset)
		return;
	from = len > SHOWN && err->offset > SHOWN_BEFORE ? err->offset - SHOWN_BEFORE : 0;
	/* One column per character: an escape would move the caret. */
	for (size_t i = from; i < len; i += step) {
		step = quote_next(text + i, len - i, true, escape);
		if (n + step > SHOWN)
			break;
		column += i < err->offset;
		if (escape[0]) {
			shown[n++] = iscntrl((unsigned char)text[i]) ? ' ' : '?';
			continue;
		}
		memcpy(shown + n, text + i, step);
		n += step;
	}
	shown[n] = '\0';
	used = strnlen(err->message, MESSAGE_MAX);
	quote_format(err->message + used, sizeof(err->message) - used, "\n    %s\n    %*s^", shown,
		     (int)column, "");
}
