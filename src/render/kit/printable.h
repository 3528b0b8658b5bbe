/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The last thing that text for people goes through, to a terminal, a pager, a pipe or a file:
 * whatever has got here, bytes that a terminal would take for commands, that are no text, or that
 * cannot be seen are written as base/quote.h shows them. Blanks, tabs, line breaks and our own
 * colours pass; names were quoted before, so that these are not theirs.
 */
#ifndef FATHOM_RENDER_KIT_PRINTABLE_H
#define FATHOM_RENDER_KIT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* More than the longest of our sequences. */
#define PRINTABLE_HELD 12

struct printable {
	int fd;
	bool utf8; /* else all but ASCII is escaped */
	bool styles; /* our own colours pass */
	/* of a stream: the beginning of a character or a sequence whose rest is yet to come */
	char held[PRINTABLE_HELD];
	size_t n_held;
};

/*
 * Writes all of @s, made safe; @s should end where a line does, or at least not inside of a
 * character. 0 or a negative errno.
 */
int printable_write(const struct printable *printable, const char *s, size_t len);
/*
 * A stream that writes through @printable, which has to live as long. It is line-buffered. It does not close the file descriptor. NULL without memory.
 */
FILE *printable_open(struct printable *printable);

/* Writes all of @s to @fd as it is, waiting where it has to. 0 or a negative errno. */
int printable_write_raw(int fd, const char *s, size_t len);

#endif
