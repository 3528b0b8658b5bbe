/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times for people: three digits that count, and a unit. */
#ifndef FATHOM_RENDER_KIT_DURATION_H
#define FATHOM_RENDER_KIT_DURATION_H

#include <stdint.h>

#include "base/strbuf.h"

#define DURATION_SIZE 24

/* "0", "123 ns", "1.23 us", "12.3 ms", "123 s", "12345 s"; returns @buf. */
const char *duration_text(uint64_t ns, char buf[DURATION_SIZE]);

/* What the kernel writes before what is long: '+' above 10 us, and so on to '$' above a second. */
char duration_mark(uint64_t ns);

/* The same as a column of a table, a space and 9 characters wide; '.' when there is no time. */
void duration_put(struct strbuf *buf, uint64_t ns);

#endif
