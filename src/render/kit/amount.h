/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Formats amounts for people: numbers of bytes with three significant digits and a unit, counts with
 * their noun.
 */
#ifndef FATHOM_RENDER_KIT_AMOUNT_H
#define FATHOM_RENDER_KIT_AMOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "render/kit/out.h"

#define AMOUNT_SIZE 24

/*
 * Formats @bytes as "0", "999 bytes", "1.23 kB", "12.3 MB", "123 GB", where 1 kB is 1000 bytes.
 * Returns @buf.
 */
const char *amount_text(uint64_t bytes, char buf[AMOUNT_SIZE]);

/* Appends "1 call" or "2 calls": @n and a noun, @one for 1 and @many otherwise. */
void amount_put_count(struct strbuf *buf, uint64_t n, const char *one, const char *many);
/* Appends the faint end of a list from which @n rows were left out, "(3 others)", and a newline. */
void amount_put_others(struct strbuf *buf, size_t n, const struct out *out);

#endif
