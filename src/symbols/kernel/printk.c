/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/kernel/printk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Parses "0xADDRESS : "FORMAT"". */
static bool printk_read_line(char *line, struct printk_format *ret)
{
	char *end, *format;
	size_t len;

	errno = 0;
	ret->address = strtoull(line, &end, 16);
	if (end == line || errno)
		return false;
	end += strspn(end, " ");
	if (*end != ':')
		return false;
	format = end + 1 + (end[1] == ' ');
	if (*format == '"')
		format++;
	len = strlen(format);
	if (len && format[len - 1] == '"')
		format[--len] = '\0';
	if (len >= 2 && str_eq(format + len - 2, "\\n"))
		format[len - 2] = '\0';
	ret->format = format;
	return true;
}

static int printk_compare(const void *a, const void *b)
{
	const struct printk_format *fa = a, *fb = b;

	return (fa->address > fb->address) - (fa->address < fb->address);
}

int printk_init(struct printk *printk, const char *text, size_t len)
{
	size_t cap = 0;
	char *rest;
	int r = 0;

	memset(printk, 0, sizeof(*printk));
	printk->text = mem_strndup(text, len);
	if (!printk->text)
		return -ENOMEM;
	rest = printk->text;
	for (char *line; r == 0 && (line = str_next_line(&rest));) {
		r = mem_reserve(&printk->formats, &cap, printk->n + 1, sizeof(printk->formats[0]));
		if (r == 0 && printk_read_line(line, &printk->formats[printk->n]))
			printk->n++;
	}
	if (r < 0)
		printk_done(printk);
	else if (printk->n)
		qsort(printk->formats, printk->n, sizeof(printk->formats[0]), printk_compare);
	return r;
}

void printk_done(struct printk *printk)
{
	free(printk->text);
	free(printk->formats);
	memset(printk, 0, sizeof(*printk));
}

const char *printk_find(const struct printk *printk, uint64_t address)
{
	struct printk_format key = { .address = address };
	const struct printk_format *found = NULL;

	if (printk->n)
		found = bsearch(&key, printk->formats, printk->n, sizeof(key), printk_compare);
	return found ? found->format : NULL;
}
