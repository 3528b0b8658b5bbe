/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats durations, in nanoseconds, for people: three significant digits and a unit. */
#ifndef FATHOM_RENDER_KIT_DURATION_H
#define FATHOM_RENDER_KIT_DURATION_H

#include <stdint.h>

#include "base/strbuf.h"

#define DURATION_SIZE 24

/* Formats @ns as "0", "123 ns", "1.23 us", "12.3 ms", "123 s", "12345 s". Returns @buf. */
const char *duration_text(uint64_t ns, char buf[DURATION_SIZE]);

/*
 * Returns the character with which the kernel's function graph marks a long duration: '+' above 10
 * us, '!' above 100 us, and so on up to '$' above 1 s; a space for shorter ones.
 */
char duration_mark(uint64_t ns);

/* Appends @ns as a table column: a space and 9 characters, right-aligned; "." for 0. */
void duration_put(struct strbuf *buf, uint64_t ns);

#endif
