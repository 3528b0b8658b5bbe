/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns a probe into kernel events. A probe in the kernel is one event. A probe in a program can
 * match several places: each function gets an event of its own; places with the same name, such as
 * those of a marker, share one if their values have the same types.
 *
 * Functions return 0 or a negative errno. They block until all events exist or one fails; events
 * created before a failure remain.
 */
#ifndef FATHOM_RECORD_PROBES_PROBE_EVENTS_H
#define FATHOM_RECORD_PROBES_PROBE_EVENTS_H

#include <stdbool.h>

#include <fathom/err.h>

#include "base/strbuf.h"
#include "symbols/probe/probe.h"

/*
 * Limit of the places of a probe. Creating an event takes a millisecond and a surprising amount of
 * memory.
 */
#define PROBE_EVENTS_MAX 1000

/* Callbacks that create the events. */
struct probe_sink {
	void *data;
	/* Returns whether the name is in use by another probe. */
	bool (*is_taken)(void *data, const char *name);
	/* Creates an event from its name and definition. Returns -EEXIST if the name is in use. */
	int (*make)(void *data, const char *name, const char *line, struct fathom_err *err);
	/*
	 * Adds a place to an event that was created before. If that fails, the place gets a new
	 * event.
	 */
	int (*extend)(void *data, const char *line);
	/* Receives the names of enums, see probe_lower(); may be NULL. */
	struct strbuf *enums;
};

/* All pointers belong to the caller. */
struct probe_request {
	struct probe_where where;
	const struct probe *probe;
	const struct probe_machine *kernel;
	const char *group;
};

/*
 * Creates the events of a probe, and adds lines for the user to @notes. Stops at the first failure;
 * -EEXIST: the name that the user chose is in use. Programs, and the kernel image for a probe on a
 * source line, are parsed in a confined process.
 */
int probe_events_make(const struct probe_request *request, const struct probe_sink *sink,
		      struct strbuf *notes, struct fathom_err *err);
/* The same, without a confined process. For probes in the kernel, and inside it. */
int probe_events_make_here(const struct probe_request *request, const struct probe_sink *sink,
			   struct strbuf *notes, struct fathom_err *err);
#endif
