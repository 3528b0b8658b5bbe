/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The progress of a long operation. A terminal has one line, overwritten at most ten times per
 * second; other files get a line every ten seconds. An operation that ends before the first line is
 * due prints nothing. Not thread-safe.
 */
#ifndef FATHOM_RENDER_KIT_PROGRESS_H
#define FATHOM_RENDER_KIT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *stream;
	bool terminal;
	uint64_t next; /* when the next line is due, in ns of now() */
	bool shown; /* the terminal has a line to erase */
	uint64_t (*now)(void); /* monotonic clock in ns; replaced by tests */
};

void progress_init(struct progress *progress, FILE *stream);
/* Returns whether a line is due. Cheap, for loops that would otherwise format a line in vain. */
bool progress_due(const struct progress *progress);
/* Prints the line if it is due. Arguments of %s are quoted. */
void progress_update(struct progress *progress, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Erases the line from a terminal. */
void progress_finish(struct progress *progress);

#endif
