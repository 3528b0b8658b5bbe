/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats numbers of bytes for people: three significant digits and a unit. */
#ifndef FATHOM_RENDER_KIT_AMOUNT_H
#define FATHOM_RENDER_KIT_AMOUNT_H

#include <stdint.h>

#define AMOUNT_SIZE 24

/*
 * Formats @bytes as "0", "999 bytes", "1.23 kB", "12.3 MB", "123 GB", where 1 kB is 1000 bytes.
 * Returns @buf.
 */
const char *amount_text(uint64_t bytes, char buf[AMOUNT_SIZE]);

#endif
