/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The formats of trace_printk() and the strings of tracepoints by their address in
 * the kernel, out of the text of printk_formats. What cannot be read in it is
 * passed over. After printk_init() nothing changes.
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
	struct printk_format *formats; /* by address */
	size_t n;
};

/* Takes the @len bytes of @text, which are copied. 0 or -ENOMEM. */
int printk_init(struct printk *printk, const char *text, size_t len);
void printk_done(struct printk *printk);
/* As in the text, escapes still in, but without the quotes and a line break at the end; or NULL. */
const char *printk_find(const struct printk *printk, uint64_t address);

#endif
