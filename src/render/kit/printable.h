/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The final filter for human-readable text, whether it goes to a terminal, a pager, a pipe or a
 * file. Bytes that a terminal would interpret, invalid UTF-8, and invisible characters that were
 * not quoted before are escaped as in base/quote.h. Spaces, tabs, line breaks and fathom's own
 * colours pass. Names have been quoted before, so they cannot contain these.
 */
#ifndef FATHOM_RENDER_KIT_PRINTABLE_H
#define FATHOM_RENDER_KIT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Longer than fathom's longest escape sequence. */
#define PRINTABLE_HELD 12

struct printable {
	int fd;
	bool utf8; /* otherwise, all non-ASCII characters are escaped */
	bool styles; /* pass fathom's own colours */
	/* The incomplete character or escape sequence at the end of a stream's output so far. */
	char held[PRINTABLE_HELD];
	size_t n_held;
};

/*
 * Writes @s, filtered. It should end with a line, or at least not in the middle of a character,
 * which would be escaped. Returns 0 or a negative errno.
 */
int printable_write(const struct printable *printable, const char *s, size_t len);
/*
 * Returns a line-buffered stream that writes through @printable, which must outlive it, or NULL if
 * memory is exhausted. Closing the stream leaves the file descriptor open.
 */
FILE *printable_open(struct printable *printable);

/*
 * Writes all of @s to @fd, unfiltered; blocks even if @fd does not. Returns 0 or a negative errno.
 */
int printable_write_raw(int fd, const char *s, size_t len);

#endif
