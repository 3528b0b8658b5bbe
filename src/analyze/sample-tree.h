/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples of CPUs added up by who called whom: the task's name, the functions of the program, then those
 * of the kernel. The times are what the samples stand for, all of it time on a CPU. Memory is that of
 * the tree.
 */
#ifndef FATHOM_ANALYZE_SAMPLE_TREE_H
#define FATHOM_ANALYZE_SAMPLE_TREE_H

#include "analyze/call-tree.h"
#include "analyze/happening.h"
#include "read/tasks.h"
#include "symbols/user-symbols.h"

/* Zero-initialised is empty. What it points at must outlive it. */
struct sample_tree {
	struct call_tree tree;
	const struct tasks *tasks; /* names of them; NULL: none */
	struct user_symbols *users; /* names of functions in programs; NULL: none */
	uint64_t n; /* samples */
	bool nomem;
};

/* 0 or -ENOMEM. */
int sample_tree_init(struct sample_tree *samples, const struct kallsyms *kallsyms,
		     const struct tasks *tasks, struct user_symbols *users);
void sample_tree_done(struct sample_tree *samples);
/* Takes samples, and passes over all else. */
void sample_tree_feed(struct sample_tree *samples, const struct happening *happening);
/* For struct feed. */
#define SAMPLES_FILTERED (1ULL << HAPPENING_SAMPLE)

#endif
