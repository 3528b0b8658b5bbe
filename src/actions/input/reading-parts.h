/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The internals of reading.h, for its tests. */
#ifndef FATHOM_ACTIONS_INPUT_READING_PARTS_H
#define FATHOM_ACTIONS_INPUT_READING_PARTS_H

#include <signal.h>

#include "actions/input/reading.h"
#include "render/kit/progress.h"

#define READING_SIGNALS 2

struct reading {
	struct progress line;
	struct reading_file *files;
	uint64_t bytes; /* read since the line was shown... */
	uint64_t last_shown; /* ...at this time */
	uint64_t unchecked; /* bytes read since the clock was read */
	const volatile sig_atomic_t *interrupted; /* the signal; 0: none */
	bool is_cut; /* the end of a file was not read */
	bool takes_signals;
	struct sigaction before[READING_SIGNALS];
};

struct reading_file {
	struct reading_file *next;
	struct reading *of;
	struct fathom_trace *trace;
	const char *path;
	const struct fathom_window *window; /* NULL: all */
	bool is_measured;
	uint64_t first, last; /* times between which events are read */
};

/* For struct trace_watch. @data is a struct reading_file. */
bool reading_page(void *data, uint64_t time, uint32_t bytes);

#endif
