/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums the stacks of one or several events by call chain; each event has weight 1. The stack of an
 * event is in the event itself (CPU samples and memory hits), in a sample taken at the event, or in
 * the kernel_stack and user_stack events that follow on the same CPU and in the same buffer.
 *
 * Uses memory for the tree, and a few KB per CPU and buffer. If it is exhausted,
 * event_stacks_finish() reports that. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_EVENT_STACKS_H
#define FATHOM_ANALYZE_CALLS_EVENT_STACKS_H

#include "analyze/calls/sample-tree.h"
#include "base/pattern/match.h"
#include "base/u64-map.h"
#include "read/event-table.h"

struct event_stacks_cpu;

/* Empty when zero-initialized. */
struct event_stacks {
	struct sample_tree *tree; /* owned by the caller, like @events */
	struct event_table *events;
	struct match match;
	bool with_system; /* match "SYSTEM:EVENT", not only the event */
	uint8_t *kinds; /* by event ID */
	struct u64_map places; /* buffer and CPU -> index in @cpus */
	struct event_stacks_cpu *cpus;
	size_t n, cap;
	uint64_t count; /* matching events */
	uint64_t bare; /* of these, without a stack */
	uint64_t sampled; /* samples taken at matching events */
	bool nomem;
};

/*
 * @pattern is EVENT or SYSTEM:EVENT, a name or a glob. @tree and @events must outlive the object.
 * Returns 0 or a negative errno; call event_stacks_done() in either case.
 */
int event_stacks_init(struct event_stacks *stacks, struct sample_tree *tree,
		      struct event_table *events, const char *pattern, struct fathom_err *err);
void event_stacks_done(struct event_stacks *stacks);
/* Call for every event, in order of the trace; @unwanted ones are not counted. */
void event_stacks_feed(struct event_stacks *stacks, const struct fathom_event *event,
		       bool unwanted);
/* Call after all events. Returns 0, or -ENOMEM if anything is missing. */
int event_stacks_finish(struct event_stacks *stacks);

#endif
