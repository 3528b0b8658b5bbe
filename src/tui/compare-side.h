/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One of two things that are compared: its system calls and functions, read a slice at a time. */
#ifndef FATHOM_TUI_COMPARE_SIDE_H
#define FATHOM_TUI_COMPARE_SIDE_H

#include "analyze/calls/calls.h"
#include "analyze/stream/feed.h"
#include "analyze/calls/func-times.h"
#include "analyze/syscalls/syscalls.h"
#include "render/report/report.h"

/* Zero-initialised is empty; it must stay where it is while it is being read. */
struct compare_side {
	struct fathom_window window;
	struct feed feed;
	struct feeding *feeding; /* NULL: all was read, or nothing */
	struct calls *calls;
	struct func_times times;
	struct syscalls syscalls;
	struct call_tree flat;
	bool has_flat;
	const struct call_tree
		*tree; /* when all was read; NULL: no calls of functions were recorded */
};

/* What is to be read; @wanted may be NULL. Begins to read it. 0 or a negative errno. */
struct compare_source {
	struct fathom_trace *trace;
	struct report *report;
	struct fathom_window window;
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
};
int compare_side_begin(struct compare_side *side, const struct compare_source *source,
		       struct fathom_err *err);
/* Reads until that time of the monotonic clock: 1: there is more; 0: that was all; a negative errno. */
int compare_side_work(struct compare_side *side, uint64_t until);
void compare_side_done(struct compare_side *side);

/* The longest call of a function; NULL: not known. */
const struct instance *compare_side_longest(const struct compare_side *side, uint64_t address);

#endif
