/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sums stacks by call chain: the task's name, the reason if callers are missing, user functions,
 * kernel functions. CPU samples are weighted by the time, in ns, that each represents.
 *
 * Uses memory for the tree. If it is exhausted, @nomem is set. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_SAMPLE_TREE_H
#define FATHOM_ANALYZE_CALLS_SAMPLE_TREE_H

#include "analyze/calls/call-tree.h"
#include "analyze/stream/decoded-event.h"
#include "read/context/tasks.h"
#include "symbols/user/user-symbols.h"

/* Empty when zero-initialized. The objects it points to must outlive it. */
struct sample_tree {
	struct call_tree tree;
	const struct tasks *tasks; /* names of tasks; NULL: none */
	struct user_symbols *users; /* names of user functions; NULL: none */
	uint64_t n; /* number of samples */
	bool nomem;
};

#define SAMPLE_STACK_MAX 320

struct sample_stack {
	int32_t pid, process; /* the task, and the process whose memory the user frames refer to */
	uint64_t time, weight;
	uint32_t n, kernel; /* number of frames; of these, innermost kernel frames */
	uint64_t end; /* why the stack ends here: enum sample_end */
	uint64_t frames[SAMPLE_STACK_MAX]; /* innermost first */
};

/* Returns 0 or -ENOMEM, with nothing to free. */
int sample_tree_init(struct sample_tree *samples, const struct kallsyms *kallsyms,
		     const struct tasks *tasks, struct user_symbols *users);
void sample_tree_done(struct sample_tree *samples);
void sample_tree_add(struct sample_tree *samples, const struct sample_stack *stack);
/* Adds samples, and ignores other events. */
void sample_tree_feed(struct sample_tree *samples, const struct decoded_event *decoded);
/* For struct feed. */
#define SAMPLES_FILTERED (1ULL << DECODED_SAMPLE)

#endif
