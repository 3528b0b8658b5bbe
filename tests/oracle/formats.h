/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collected formats of a kernel: zstd-compressed text in which a line
 * "### SYSTEM" precedes each format.
 */
#ifndef FATHOM_TESTS_ORACLE_FORMATS_H
#define FATHOM_TESTS_ORACLE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

struct format_text {
	char system[64];
	const char *text;
	size_t len;
};

/* The whole text, NUL-terminated, to be freed; NULL and a message on stderr if it can't be read. */
char *formats_read(const char *path);
/* The next format at *@text, which is moved on; false at the end. */
bool formats_next(char **text, struct format_text *ret);

#endif
