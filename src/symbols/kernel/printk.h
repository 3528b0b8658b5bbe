/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The formats of trace_printk() and the strings of tracepoints, by kernel address, from the text of
 * printk_formats. The text is untrusted; invalid lines are skipped. Immutable after printk_init(),
 * so threads can share it.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_PRINTK_H
#define FATHOM_SYMBOLS_KERNEL_PRINTK_H

#include <stddef.h>
#include <stdint.h>

struct printk_format {
	uint64_t address;
	const char *format;
};

struct printk {
	char *text; /* owned */
	struct printk_format *formats; /* sorted by address */
	size_t n;
};

/* Copies @len bytes of @text. Returns 0 or -ENOMEM. */
int printk_init(struct printk *printk, const char *text, size_t len);
void printk_done(struct printk *printk);
/*
 * Returns the string as in the text, with escapes, but without quotes and a trailing newline; NULL:
 * unknown. Valid until printk_done().
 */
const char *printk_find(const struct printk *printk, uint64_t address);

#endif
