/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call trees of several runs, superimposed: calls with the same chain of function names are one
 * node, so that kernels with different addresses can be compared. Some of the runs precede a
 * change, the others follow it. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COMPARE_CALL_DIFF_H
#define FATHOM_ANALYZE_COMPARE_CALL_DIFF_H

#include "analyze/calls/call-tree.h"
#include "analyze/compare/noise.h"

struct call_diff_node {
	const struct func *func; /* from one of the trees; NULL for the root */
	uint32_t parent, child, sibling; /* index in @nodes, or CALL_NONE */
	/*
	 * Sums over the runs of each side; zero if the function was not called. Parents, children
	 * and errors are unset.
	 */
	struct call_node before, after;
};

/* Empty when zero-initialized. The trees must outlive it. Node 0 is the root. */
struct call_diff {
	const struct call_tree **runs; /* those from before first */
	size_t n_before, n_after;
	struct call_diff_node *nodes;
	size_t n, cap;
	uint32_t *places; /* each node's index in each tree, or CALL_NONE */
	size_t cap_places;
	struct noise_row *rows; /* by node: changes that exceed the noise */
	struct noise noise;
	bool single; /* set by the caller: compares single calls, for which noise is unknown */
};

/* Needs at least one run on each side. Returns 0, or -ENOMEM with *@ret_diff empty. */
int call_diff_make(const struct call_tree *const *before, size_t n_before,
		   const struct call_tree *const *after, size_t n_after,
		   struct call_diff *ret_diff);
void call_diff_done(struct call_diff *diff);

/* Return the sums of a node over the runs of a side. Valid until call_diff_done(). */
const struct call_node *call_diff_before(const struct call_diff *diff, uint32_t node);
const struct call_node *call_diff_after(const struct call_diff *diff, uint32_t node);
/* Returns the function of a node, or NULL for the root. */
const struct func *call_diff_func(const struct call_diff *diff, uint32_t node);
/* Returns how much more time the calls took per run: after minus before. */
int64_t call_diff_change(const struct call_diff *diff, uint32_t node);
/* Returns the time of the outermost calls per run, before or after. */
uint64_t call_diff_time(const struct call_diff *diff, bool after);

#endif
