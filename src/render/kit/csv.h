/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names in comma-separated values. They are quoted as for people, so that a record is a line, and
 * a name that a spreadsheet would take for a formula has a "'" in front.
 */
#ifndef FATHOM_RENDER_KIT_CSV_H
#define FATHOM_RENDER_KIT_CSV_H

#include "base/strbuf.h"
#include "base/text.h"

/* RFC 4180: in quotes, which are doubled inside. */
void csv_put(struct strbuf *buf, const char *text);
void csv_text(struct text *text, const char *s, size_t len);
/* The same, in quotes only where they are needed. */
void csv_put_bare(struct strbuf *buf, const char *text);

#endif
