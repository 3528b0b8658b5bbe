/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text for terminals. Names and messages in a trace come from anywhere, and a terminal
 * obeys what it is sent: bytes that it would take for commands are written as "\x1b".
 * Blanks, tabs, line breaks, text of the user's character set and our own colours pass.
 */
#ifndef FATHOM_RENDER_PRINTABLE_H
#define FATHOM_RENDER_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct printable {
	int fd;
	bool utf8; /* the terminal's character set; else one of 8 bits */
	const char *const *allowed; /* escape sequences that pass, such as ours for colours */
	size_t n_allowed;
};

/* Writes all of @s, made safe; @s should end where a line does. 0 or a negative errno. */
int printable_write(const struct printable *printable, const char *s, size_t len);
/*
 * A stream that writes through @printable, which has to live as long, line by line. It does not
 * close the file descriptor. NULL without memory.
 */
FILE *printable_open(struct printable *printable);

/* Writes all of @s to @fd as it is, waiting where it has to. 0 or a negative errno. */
int printable_write_raw(int fd, const char *s, size_t len);

#endif
