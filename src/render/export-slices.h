/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For outputs that write each event: where a trace has functions of programs, they and all that
 * the kernel does inside of them are slices that nest, each with a beginning and an end whatever was
 * lost or cut (render/export-nest.h). What tells of them is not written once more as an event;
 * system calls are, for what they were called with. Traces without such functions have no slices.
 */
#ifndef FATHOM_RENDER_EXPORT_SLICES_H
#define FATHOM_RENDER_EXPORT_SLICES_H

#include "render/export-nest.h"
#include "render/export.h"

/* Zero-initialised is empty. */
struct slices {
	struct nest nest;
	bool is_on; /* the trace has functions of programs */

	/* While an event is taken: */
	struct export *export;
	const struct fathom_event *event;
	bool is_told;
};

/* @opened and @closed get @export and are called in the order of each task's time. */
void slices_begin(struct slices *slices, struct export *export, nest_taker *opened,
		  nest_taker *closed);
/* True: the slices tell what this event does, so that it is not to be written. */
bool slices_take(struct slices *slices, const struct fathom_event *event);

/* "function", "user function", "syscall" */
const char *slices_category(const struct slices *slices, uint32_t frame);

#endif
