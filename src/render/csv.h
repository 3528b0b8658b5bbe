/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text in comma-separated values. */
#ifndef FATHOM_RENDER_CSV_H
#define FATHOM_RENDER_CSV_H

#include "base/strbuf.h"

/* RFC 4180: in quotes, which are doubled inside. */
void csv_put(struct strbuf *buf, const char *text);

#endif
