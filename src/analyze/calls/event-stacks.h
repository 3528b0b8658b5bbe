/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stacks of one kind of event, or of several, added up by who called whom; each counts once. A stack is in
 * the event itself, as with samples and hits of memory, in a sample that was taken at the event, or in events that the
 * kernel writes behind it: kernel_stack and user_stack, on the same CPU and in the same buffer. Memory is that of the tree, and some kilobytes for each CPU
 * of each buffer.
 */
#ifndef FATHOM_ANALYZE_CALLS_EVENT_STACKS_H
#define FATHOM_ANALYZE_CALLS_EVENT_STACKS_H

#include "analyze/calls/sample-tree.h"
#include "base/pattern/match.h"
#include "base/u64-map.h"
#include "read/event-table.h"

struct event_stacks_cpu;

/* Zero-initialised is empty. */
struct event_stacks {
	struct sample_tree *tree; /* the caller's */
	struct event_table *events;
	struct match match;
	bool with_system; /* the names that are compared have it */
	uint8_t *kinds; /* of events, by id */
	struct u64_map places; /* buffer and CPU */
	struct event_stacks_cpu *cpus;
	size_t n, cap;
	uint64_t count; /* events that fit */
	uint64_t bare; /* of these without a stack */
	uint64_t sampled; /* samples that were taken at them */
	bool nomem;
};

/* @pattern is EVENT or SYSTEM:EVENT, a name or a glob. 0 or a negative errno. */
int event_stacks_init(struct event_stacks *stacks, struct sample_tree *tree,
		      struct event_table *events, const char *pattern, struct fathom_err *err);
void event_stacks_done(struct event_stacks *stacks);
/* All events of the trace, in its order; what is @unwanted is not counted. */
void event_stacks_feed(struct event_stacks *stacks, const struct fathom_event *event,
		       bool unwanted);
/* There are no more. 0 or -ENOMEM. */
int event_stacks_finish(struct event_stacks *stacks);

#endif
