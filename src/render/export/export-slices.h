/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For outputs that write each event: calls of functions are slices that nest, each with a beginning
 * and an end whatever was lost or cut (render/export/export-nest.h). What tells of them is not written once
 * more as an event. Where a trace has functions of programs, system calls are slices among them, and
 * written as events as well, for what they were called with.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_SLICES_H
#define FATHOM_RENDER_EXPORT_EXPORT_SLICES_H

#include "render/export/export-nest.h"
#include "render/export.h"

/* Zero-initialised with @spans none is empty. */
struct slices {
	struct nest nest;
	struct call_spans spans;
	bool has_users; /* the trace has functions of programs */
	struct export *export;

	/* While an event is taken: */
	const struct fathom_event *event;
	bool is_told;
};

/* @opened and @closed get @export and are called in the order of each task's time. */
void slices_begin(struct slices *slices, struct export *export, nest_taker *opened,
		  nest_taker *closed);
void slices_done(struct slices *slices);
/* Events are taken twice; see nest_take_first(). */
void slices_take_first(struct slices *slices, const struct fathom_event *event);
/* True: the slices tell what this event does, so that it is not to be written. */
bool slices_take(struct slices *slices, const struct fathom_event *event);

/* "function", "user function", "syscall" */
const char *slices_category(const struct slices *slices, uint32_t frame);

#endif
