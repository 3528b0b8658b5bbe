/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Amounts of bytes for people: three digits that count, and a unit. */
#ifndef FATHOM_RENDER_KIT_AMOUNT_H
#define FATHOM_RENDER_KIT_AMOUNT_H

#include <stdint.h>

#define AMOUNT_SIZE 24

/* "0", "999 bytes", "1.23 kB", "12.3 MB", "123 GB" (of 1000); returns @buf. */
const char *amount_text(uint64_t bytes, char buf[AMOUNT_SIZE]);

#endif
