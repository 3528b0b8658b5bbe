/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls as slices, for outputs that write each event: they nest, and each has a start and an end,
 * even if events were lost or cut (render/export/export-nest.h). Events that the slices represent
 * are not written again. If a trace has user functions, system calls are also slices; their events
 * are nevertheless written, for the arguments.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_SLICES_H
#define FATHOM_RENDER_EXPORT_EXPORT_SLICES_H

#include "render/export/export-nest.h"
#include "render/export.h"

/* An empty struct has @spans set to CALL_SPANS_NONE and is zero otherwise. */
struct slices {
	struct nest nest;
	struct call_spans spans;
	bool has_users; /* the trace has user functions */
	struct export *export;

	/* While an event is taken: */
	const struct fathom_event *event;
	bool is_slice;
};

/*
 * Starts the first pass. @opened and @closed are called with @export in the second pass, in
 * chronological order for each task. Released with slices_done().
 */
void slices_begin(struct slices *slices, struct export *export, nest_taker *opened,
		  nest_taker *closed);
void slices_done(struct slices *slices);
/* There are two passes over all events; see nest_take_first(). */
void slices_take_first(struct slices *slices, const struct fathom_event *event);
/*
 * The second pass. Returns whether the slices represent the event, so that it should not be
 * written.
 */
bool slices_take(struct slices *slices, const struct fathom_event *event);

/* Returns "function", "user function" or "syscall". */
const char *slices_category(const struct slices *slices, uint32_t frame);

#endif
