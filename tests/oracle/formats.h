/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collected event formats of a kernel: zstd-compressed text with a line "### SYSTEM" before
 * each format.
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

/*
 * Returns the whole text, NUL-terminated, to be freed; NULL, with a message on stderr, if it cannot
 * be read.
 */
char *formats_read(const char *path);
/* Returns the next format at *@text, which is advanced; false at the end. */
bool formats_next(char **text, struct format_text *ret);

#endif
