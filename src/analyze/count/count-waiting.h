/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counted events whose key contains their stack: the tracer records it after the event, on the same
 * CPU and in the same buffer. In between, an interrupt can record events with stacks of its own.
 * Uses memory per CPU. If it is exhausted, @nomem is set. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COUNT_COUNT_WAITING_H
#define FATHOM_ANALYZE_COUNT_COUNT_WAITING_H

#include "analyze/count/count-stacks.h"
#include "analyze/count/count-table.h"
#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

/* What is added to the table when the stacks are known. */
struct count_waiting_row {
	uint64_t value;
	uint64_t key[COUNT_KEY_WORDS];
};

struct count_waiting_cpu;

/* Initialize with count_waiting_init(). */
struct count_waiting {
	bool is_needed; /* a key is a stack */
	bool has_spread;
	bool nomem;
	struct count_table *table;
	struct count_stacks *stacks;
	struct u64_map places; /* buffer and CPU -> index in @cpus */
	struct count_waiting_cpu *cpus;
	size_t n, cap;
	uint64_t no_stack; /* stacks that did not follow */
};

/* @table, with its columns, and @stacks must outlive @waiting. */
void count_waiting_init(struct count_waiting *waiting, struct count_table *table,
			struct count_stacks *stacks, bool has_spread);
/* Call for every event in chronological order, before it is counted. */
void count_waiting_feed(struct count_waiting *waiting, const struct decoded_event *decoded);
/* Adds what is counted for this event, with COUNT_STACK_LATER in its key. */
void count_waiting_add(struct count_waiting *waiting, const struct fathom_event *event,
		       const void *key, uint64_t value);
/* Adds all that still waits to the table. */
void count_waiting_end(struct count_waiting *waiting);
void count_waiting_done(struct count_waiting *waiting);

#endif
