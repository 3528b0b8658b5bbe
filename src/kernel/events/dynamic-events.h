/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events that somebody has added to the running kernel: probes and synthetic events. */
#ifndef FATHOM_KERNEL_EVENTS_DYNAMIC_EVENTS_H
#define FATHOM_KERNEL_EVENTS_DYNAMIC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct dynamic_event {
	const char *kind; /* "kprobe", "kretprobe", "uprobe", ...; static */
	const char *system;
	const char *name;
	const char *definition; /* the kernel's own line */
	bool enabled; /* in the top-level buffer */
};

struct dynamic_events {
	struct dynamic_event *list; /* in the kernel's order */
	size_t n, cap;
	struct arena arena;
};

/* From dynamic_events, or on kernels without it from the files that it replaces. */
int dynamic_events_read(int tracefs, struct dynamic_events *ret_events, struct fathom_err *err);
void dynamic_events_done(struct dynamic_events *events);

#endif
