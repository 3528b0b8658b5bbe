/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the text of printk_formats, and finding formats in it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/kernel/printk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct printk printk;

	if (printk_init(&printk, (const char *)data, size) < 0)
		return 0;
	for (size_t i = 0; i < printk.n; i++) {
		const struct printk_format *format = &printk.formats[i];

		if (i && format[-1].address > format->address)
			abort();
		if (strlen(format->format) > size || strchr(format->format, '\n'))
			abort();
		if (!printk_find(&printk, format->address))
			abort();
	}
	(void)printk_find(&printk, 0);
	(void)printk_find(&printk, UINT64_MAX);
	printk_done(&printk);
	return 0;
}
