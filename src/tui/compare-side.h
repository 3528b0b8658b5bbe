/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One side of a comparison: its system calls and functions, read in slices of time, so that the
 * viewer can answer keys in between. Not thread-safe.
 */
#ifndef FATHOM_TUI_COMPARE_SIDE_H
#define FATHOM_TUI_COMPARE_SIDE_H

#include "analyze/calls/calls.h"
#include "analyze/stream/feed.h"
#include "analyze/calls/func-times.h"
#include "analyze/syscalls/syscalls.h"
#include "render/report/report.h"

/* Empty when zero-initialized. Must not be moved while it is read. */
struct compare_side {
	struct fathom_window window;
	struct feed feed;
	struct feeding *feeding; /* NULL: not reading */
	struct calls *calls;
	struct func_times times;
	struct syscalls syscalls;
	struct call_tree flat;
	bool has_flat;
	const struct call_tree
		*tree; /* once everything was read; NULL: no function calls were recorded */
};

/*
 * The selection to read; copied, but not the objects that it refers to. @wanted returns whether to
 * count an event; NULL: count all.
 */
struct compare_source {
	struct fathom_trace *trace;
	struct report *report;
	struct fathom_window window;
	bool (*wanted)(void *data, const struct fathom_event *event);
	void *wanted_data;
};
/*
 * Starts reading, and releases earlier results. Returns 0 or a negative errno; compare_side_done()
 * is due in either case.
 */
int compare_side_begin(struct compare_side *side, const struct compare_source *source,
		       struct fathom_err *err);
/*
 * Reads until @until (CLOCK_MONOTONIC, in ns). Returns 1 if there is more, 0 if everything was
 * read, or a negative errno.
 */
int compare_side_work(struct compare_side *side, uint64_t until);
void compare_side_done(struct compare_side *side);

/* Returns the longest call of a function, or NULL if it is unknown. */
const struct instance *compare_side_longest(const struct compare_side *side, uint64_t address);

#endif
