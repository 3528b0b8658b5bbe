/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two trees of calls laid on one another: calls of the same path, by the names of the functions,
 * are one node. So kernels whose functions are at other addresses can be compared, too.
 */
#ifndef FATHOM_ANALYZE_CALL_DIFF_H
#define FATHOM_ANALYZE_CALL_DIFF_H

#include "analyze/call-tree.h"

struct call_diff_node {
	uint32_t before, after; /* nodes of the trees; CALL_NONE: it is not there */
	uint32_t parent, child, sibling; /* in this list; CALL_NONE */
};

/* Zero-initialised is empty; what it points at must outlive it. Node 0 is the root. */
struct call_diff {
	const struct call_tree *before, *after;
	struct call_diff_node *nodes;
	size_t n, cap;
};

/* 0 or -ENOMEM. */
int call_diff_make(const struct call_tree *before, const struct call_tree *after,
		   struct call_diff *ret_diff);
void call_diff_done(struct call_diff *diff);

/* What was counted at a node; all zero where it is not there. */
const struct call_node *call_diff_before(const struct call_diff *diff, uint32_t node);
const struct call_node *call_diff_after(const struct call_diff *diff, uint32_t node);
/* The function of a node that is not the root. */
const struct func *call_diff_func(const struct call_diff *diff, uint32_t node);
/* How much more time the calls took, in all: after less before. */
int64_t call_diff_change(const struct call_diff *diff, uint32_t node);

#endif
