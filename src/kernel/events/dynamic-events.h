/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists the events that were added to the running kernel, by any program: probes, synthetic events
 * and user events. Strings belong to the list and are valid until dynamic_events_done().
 */
#ifndef FATHOM_KERNEL_EVENTS_DYNAMIC_EVENTS_H
#define FATHOM_KERNEL_EVENTS_DYNAMIC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"

struct dynamic_event {
	const char *kind; /* "kprobe", "kretprobe", "uprobe", ...; static */
	const char *system;
	const char *name;
	const char *definition; /* the line of the kernel */
	bool enabled; /* in the top-level buffer */
};

struct dynamic_events {
	struct dynamic_event *list; /* in the kernel's order */
	size_t n, cap;
	struct arena arena;
};

/*
 * Reads dynamic_events or, on kernels without it, the files that it replaced. @tracefs is a
 * descriptor of the tracefs directory. Returns 0 or a negative errno.
 */
int dynamic_events_read(int tracefs, struct dynamic_events *ret_events, struct fathom_err *err);
void dynamic_events_done(struct dynamic_events *events);

#endif
