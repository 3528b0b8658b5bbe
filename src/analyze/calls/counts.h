/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many events there were, from when to when: by their kind, their task, their CPU, or by
 * the function of those that the tracer "function" writes.
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
	uint64_t key; /* event id, pid, CPU, number of the function */
	const struct event_entry *entry; /* by event: its description; NULL: there is none */
	uint64_t n;
	uint64_t first, last; /* when */
	uint64_t lost; /* by CPU: events that are known to be missing */
	bool lost_unknown; /* by CPU: and more */
};

/* Zero-initialised with @by set is empty; by function, @funcs.kallsyms as well. */
struct counts {
	enum counts_by by;
	struct func_table funcs;
	uint32_t *direct; /* places in @list by small key, + 1; 0: none */
	struct u64_map places; /* the same for all keys */
	struct count *list;
	size_t n, cap;
	bool nomem; /* something is missing */
};

/* To be fed with all events, in order of time. */
void counts_feed(struct counts *counts, const struct decoded_event *decoded);
/* -ENOMEM when something is missing, else 0. */
int counts_finish(const struct counts *counts);
void counts_done(struct counts *counts);

#endif
