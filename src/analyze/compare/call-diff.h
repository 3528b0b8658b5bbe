/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trees of calls of several runs laid on one another: calls of the same path, by the names of the functions,
 * are one node. So kernels whose functions are at other addresses can be compared. Some of the runs are from before
 * a change, the others from after it.
 */
#ifndef FATHOM_ANALYZE_COMPARE_CALL_DIFF_H
#define FATHOM_ANALYZE_COMPARE_CALL_DIFF_H

#include "analyze/calls/call-tree.h"
#include "analyze/compare/noise.h"

struct call_diff_node {
	const struct func *func; /* of one of the trees; NULL for the root */
	uint32_t parent, child, sibling; /* in this list; CALL_NONE */
	/* The sums of all runs of a side; all zero where there is no call. They are nodes of no tree. */
	struct call_node before, after;
};

/* Zero-initialised is empty; the trees must outlive it. Node 0 is the root. */
struct call_diff {
	const struct call_tree **runs; /* those from before come first */
	size_t n_before, n_after;
	struct call_diff_node *nodes;
	size_t n, cap;
	uint32_t *places; /* of each node in each of the trees; CALL_NONE */
	size_t cap_places;
	struct noise_row *rows; /* what is more than noise: of each node */
	struct noise noise;
	bool single; /* by the caller: of one call on each side, so that there is no noise to speak of */
};

/* 0 or -ENOMEM. */
int call_diff_make(const struct call_tree *const *before, size_t n_before,
		   const struct call_tree *const *after, size_t n_after,
		   struct call_diff *ret_diff);
void call_diff_done(struct call_diff *diff);

/* What was counted at a node, in all runs of a side; all zero where it is not there. */
const struct call_node *call_diff_before(const struct call_diff *diff, uint32_t node);
const struct call_node *call_diff_after(const struct call_diff *diff, uint32_t node);
/* The function of a node that is not the root. */
const struct func *call_diff_func(const struct call_diff *diff, uint32_t node);
/* How much more time the calls took in a run: after less before. */
int64_t call_diff_change(const struct call_diff *diff, uint32_t node);
/* The time of the outermost calls in a run from before, or after. */
uint64_t call_diff_time(const struct call_diff *diff, bool after);

#endif
