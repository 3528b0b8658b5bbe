/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of events with first and last time, by event, task, CPU or function (for events of the
 * function tracer). Times are in ns. If memory is exhausted, @nomem is set, and events are missing.
 * counts_done() frees everything, and leaves a zeroed object. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_COUNTS_H
#define FATHOM_ANALYZE_CALLS_COUNTS_H

#include "analyze/calls/func-table.h"
#include "analyze/stream/decoded-event.h"

enum counts_by {
	COUNTS_BY_EVENT,
	COUNTS_BY_TASK,
	COUNTS_BY_CPU,
	COUNTS_BY_FUNCTION,
};

struct count {
	uint64_t key; /* event ID, pid, CPU or function number */
	const struct event_entry *entry; /* the event's format; NULL if unknown */
	uint64_t n;
	uint64_t first, last; /* times */
	uint64_t lost; /* by CPU: number of lost events, as far as known */
	bool lost_unknown; /* by CPU: and an unknown number more */
};

/* Initialize to zero, except for @by and, by function, @funcs.kallsyms. */
struct counts {
	enum counts_by by;
	struct func_table funcs;
	uint32_t *direct; /* small keys -> index in @list + 1; 0: none */
	struct u64_map places; /* the same for all keys */
	struct count *list;
	size_t n, cap;
	bool nomem; /* events are missing */
};

/* Call for every event, in chronological order. */
void counts_feed(struct counts *counts, const struct decoded_event *decoded);
/* Returns 0, or -ENOMEM if events are missing. */
int counts_finish(const struct counts *counts);
void counts_done(struct counts *counts);

#endif
