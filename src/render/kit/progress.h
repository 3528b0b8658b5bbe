/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The progress of a long operation, on a terminal: one line, shown after a second, then overwritten four times per
 * second, never longer than the terminal is wide. An operation that ends earlier prints nothing. Makes no system calls
 * after progress_init(), except for writing. Not thread-safe.
 */
#ifndef FATHOM_RENDER_KIT_PROGRESS_H
#define FATHOM_RENDER_KIT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *stream;
	bool terminal;
	unsigned columns; /* of the terminal; 0: unknown */
	uint64_t interval; /* in ns; 0: nothing is shown */
	uint64_t next; /* when the next line is due, in ns of now() */
	bool shown; /* the terminal has a line to erase */
	uint64_t (*now)(void); /* monotonic clock in ns; replaced by tests */
};

void progress_init(struct progress *progress, FILE *stream);
/*
 * Likewise, for a recording, whose state matters from its start and in a log: shows lines from the beginning, ten times
 * per second, and writes one every ten seconds to anything but a terminal.
 */
void progress_init_log(struct progress *progress, FILE *stream);
/* Returns whether a line is due. Cheap, for loops that would otherwise format a line in vain. */
bool progress_due(const struct progress *progress);
/* Prints the line if it is due. Arguments of %s are quoted. */
void progress_update(struct progress *progress, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Erases the line from a terminal. */
void progress_finish(struct progress *progress);
/* Erases a line that another process has left. */
void progress_erase(FILE *stream);

#endif
