/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of calls as text, JSON or CSV; the functions that took longest come first. */
#ifndef FATHOM_RENDER_TIME_TREE_H
#define FATHOM_RENDER_TIME_TREE_H

#include "analyze/calls/call-tree.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

/* TREE_ORDERS has a word for each, in the same order. */
#define TREE_ORDERS "total own count max name"
enum tree_order {
	TREE_BY_TOTAL,
	TREE_BY_OWN,
	TREE_BY_COUNT,
	TREE_BY_MAX,
	TREE_BY_NAME,
};

struct tree_options {
	unsigned depth; /* levels that are shown; 0: all */
	unsigned min_permille; /* of all time: calls that took less are folded into one line */
	unsigned rows; /* at each level; 0: all */
	enum tree_order order;
	bool samples; /* it is one of samples, which have no beginning and no end */
	bool counts; /* one of samples that are events, which count and have no time */
	bool overlap; /* calls that are side by side may be parts of one another */
	uint64_t time; /* what is all the time; 0: that of the outermost calls */
};

/* Each returns 0 or -ENOMEM. */
int tree_print(const struct call_tree *tree, const struct tree_options *options, struct out *out);
/* An object with an array of calls, each with the place of its caller in the array. */
int tree_print_json(const struct call_tree *tree, const struct tree_options *options,
		    struct out *out);
/* A line per node; the functions of its path are separated by ';'. */
int tree_print_csv(const struct call_tree *tree, const struct tree_options *options,
		   struct out *out);

/*
 * For other outputs: the children of @node that are shown, in order, in a new array, and what
 * is folded in @ret_folded (@func is FUNC_NONE, @count 0 when nothing is). -ENOMEM, or how many.
 */
int tree_children(const struct call_tree *tree, uint32_t node, const struct tree_options *options,
		  uint32_t **ret_list, struct call_node *ret_folded, size_t *ret_n_folded);
/* The time of all outermost calls. */
uint64_t tree_time(const struct call_tree *tree);
/* "  = -ENOENT x 3, -EAGAIN x 1": what the calls of a node have failed with; nothing: none has. */
void tree_put_errors(const struct call_node *node, struct strbuf *buf);
/* The name of a function, or its address. */
void tree_put_name(const struct call_tree *tree, uint32_t func, struct strbuf *buf);

#endif
