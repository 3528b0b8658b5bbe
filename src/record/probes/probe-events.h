/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a probe to its events. A probe in the kernel is one event. One in programs may mean several places:
 * each function gets an event of its own; places of one name, as those of a marker, share one as far as
 * their values are of the same types.
 */
#ifndef FATHOM_RECORD_PROBES_PROBE_EVENTS_H
#define FATHOM_RECORD_PROBES_PROBE_EVENTS_H

#include <stdbool.h>

#include <fathom/err.h>

#include "base/strbuf.h"
#include "symbols/probe/probe.h"

/* Places of one probe. Each event takes a millisecond to make, and more memory than one would think. */
#define PROBE_EVENTS_MAX 1000

/* Who makes them. */
struct probe_sink {
	void *data;
	/* Is the name one of another probe's? */
	bool (*is_taken)(void *data, const char *name);
	/* A new event: its name and its line. -EEXIST: there is one of that name. */
	int (*make)(void *data, const char *name, const char *line, struct fathom_err *err);
	/* One more place for an event that was made before. What it cannot take gets a new one. */
	int (*extend)(void *data, const char *line);
	/* NULL, or where the names of enums are added; see probe_lower(). */
	struct strbuf *enums;
};

struct probe_request {
	struct probe_where where;
	const struct probe *probe;
	const struct probe_machine *kernel;
	const char *group;
};

/*
 * Makes the events of a probe; @notes gets lines about what a user should know. Stops at the first that
 * fails; -EEXIST: the user has given it a name that is taken. Programs, and the kernel's file where a probe is at a
 * line of source, are parsed in a process without rights.
 */
int probe_events_make(const struct probe_request *request, const struct probe_sink *sink,
		      struct strbuf *notes, struct fathom_err *err);
/* The same, all in this process. */
int probe_events_make_here(const struct probe_request *request, const struct probe_sink *sink,
			   struct strbuf *notes, struct fathom_err *err);
#endif
