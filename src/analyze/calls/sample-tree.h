/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stacks added up by who called whom: the task's name, why callers are missing if they are, the functions of the
 * program, then those of the kernel. Those of samples of CPUs count as the time that the samples stand for, all of it on a CPU.
 * Memory is that of the tree.
 */
#ifndef FATHOM_ANALYZE_CALLS_SAMPLE_TREE_H
#define FATHOM_ANALYZE_CALLS_SAMPLE_TREE_H

#include "analyze/calls/call-tree.h"
#include "analyze/stream/decoded-event.h"
#include "read/context/tasks.h"
#include "symbols/user/user-symbols.h"

/* Zero-initialised is empty. What it points at must outlive it. */
struct sample_tree {
	struct call_tree tree;
	const struct tasks *tasks; /* names of them; NULL: none */
	struct user_symbols *users; /* names of functions in programs; NULL: none */
	uint64_t n; /* samples */
	bool nomem;
};

#define SAMPLE_STACK_MAX 320

struct sample_stack {
	int32_t pid, process; /* the task; whose memory the program is in */
	uint64_t time, weight;
	uint32_t n, kernel; /* frames; the first so many are the kernel's */
	uint64_t end; /* why there are no more: enum sample_end */
	uint64_t frames[SAMPLE_STACK_MAX]; /* from the innermost */
};

/* 0 or -ENOMEM. */
int sample_tree_init(struct sample_tree *samples, const struct kallsyms *kallsyms,
		     const struct tasks *tasks, struct user_symbols *users);
void sample_tree_done(struct sample_tree *samples);
void sample_tree_add(struct sample_tree *samples, const struct sample_stack *stack);
/* Takes samples, and passes over all else. */
void sample_tree_feed(struct sample_tree *samples, const struct decoded_event *decoded);
/* For struct feed. */
#define SAMPLES_FILTERED (1ULL << DECODED_SAMPLE)

#endif
