/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The line that says how far a long piece of work is. On a terminal one line is
 * written over and over, at most ten times a second; elsewhere a plain line
 * every ten seconds. Work that is done before the first line is due says nothing.
 */
#ifndef FATHOM_RENDER_KIT_PROGRESS_H
#define FATHOM_RENDER_KIT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *stream;
	bool terminal;
	uint64_t next; /* when the next line is due, in ns of @now */
	bool shown; /* there is a line on the terminal to remove */
	uint64_t (*now)(void); /* nanoseconds; a test puts its own clock here */
};

void progress_init(struct progress *progress, FILE *stream);
/* Is a line due? Cheap: for loops that do not want to make the text in vain. */
bool progress_due(const struct progress *progress);
/* Shows the line when it is due. */
void progress_update(struct progress *progress, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Removes the line from a terminal. */
void progress_finish(struct progress *progress);

#endif
