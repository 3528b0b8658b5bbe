/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders a call tree as text, JSON or CSV; by default, functions with the longest total time come
 * first. Times are in nanoseconds. The tree is not modified.
 */
#ifndef FATHOM_RENDER_TIME_TREE_H
#define FATHOM_RENDER_TIME_TREE_H

#include "analyze/calls/call-tree.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

/* The words for enum tree_order, in the same order. */
#define TREE_ORDERS "total self count max name"
enum tree_order {
	TREE_BY_TOTAL,
	TREE_BY_OWN,
	TREE_BY_COUNT,
	TREE_BY_MAX,
	TREE_BY_NAME,
};

struct tree_options {
	unsigned depth; /* to show; 0: all */
	unsigned min_permille; /* of the total time; shorter calls are folded into one line */
	unsigned rows; /* to show at each level; 0: all */
	enum tree_order order;
	bool samples; /* a tree of samples, which have no start and no end */
	bool counts; /* a tree of sampled events: counts, no times */
	bool overlap; /* the times of children may overlap */
	uint64_t time; /* the total time, for fractions; 0: that of the outermost calls */
};

/* All return 0 or -ENOMEM. Write errors are left to out_finish(). */
int tree_print(const struct call_tree *tree, const struct tree_options *options, struct out *out);
/* An object with an array of calls; each has the index of its caller. */
int tree_print_json(const struct call_tree *tree, const struct tree_options *options,
		    struct out *out);
/* A line per node; the functions of its path are separated by ';'. */
int tree_print_csv(const struct call_tree *tree, const struct tree_options *options,
		   struct out *out);

/*
 * For other outputs: lists the children of @node that are shown, in order, and adds up the others
 * in @ret_folded, whose @func is FUNC_NONE. Returns the number of children or -ENOMEM. The caller
 * frees @ret_list.
 */
int tree_children(const struct call_tree *tree, uint32_t node, const struct tree_options *options,
		  uint32_t **ret_list, struct call_node *ret_folded, size_t *ret_n_folded);
/* Returns the time of all outermost calls. */
uint64_t tree_time(const struct call_tree *tree);
/* Appends the errors of a node's calls, if any: "  = -ENOENT x 3, -EAGAIN x 1". */
void tree_put_errors(const struct call_node *node, struct strbuf *buf);
/* Appends the name of a function, or its address. */
void tree_put_name(const struct call_tree *tree, uint32_t func, struct strbuf *buf);

#endif
