/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quotes fields of comma-separated values. Control characters are escaped as in base/quote.h, so
 * that a record is always one line. Text that a spreadsheet would evaluate as a formula is prefixed
 * with "'".
 */
#ifndef FATHOM_RENDER_KIT_CSV_H
#define FATHOM_RENDER_KIT_CSV_H

#include "base/strbuf.h"
#include "base/text.h"

/* Appends the field in double quotes; quotes inside are doubled, as required by RFC 4180. */
void csv_put(struct strbuf *buf, const char *text);
void csv_text(struct text *text, const char *s, size_t len);
/* The same, but with quotes only if the field needs them. */
void csv_put_bare(struct strbuf *buf, const char *text);

#endif
