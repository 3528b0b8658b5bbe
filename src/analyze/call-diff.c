/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/call-diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static const struct call_node nothing = { .parent = CALL_NONE,
					  .child = CALL_NONE,
					  .sibling = CALL_NONE };

static int compare_funcs(const struct func *a, const struct func *b)
{
	int r;

	/* Those without a name only have their address. */
	if (!a->name || !b->name) {
		if (a->name || b->name)
			return a->name ? 1 : -1;
		return a->address < b->address ? -1 : a->address > b->address;
	}
	r = strcmp(a->name, b->name);
	return r ?: strcmp(a->module ?: "", b->module ?: "");
}

static int compare_nodes(const void *pa, const void *pb, void *arg)
{
	const struct call_tree *tree = arg;

	return compare_funcs(&tree->funcs.list[tree->nodes[*(const uint32_t *)pa].func],
			     &tree->funcs.list[tree->nodes[*(const uint32_t *)pb].func]);
}

/* The children of a node by their names, in a new array. -ENOMEM, or how many. */
static int sorted_children(const struct call_tree *tree, uint32_t node, uint32_t **ret_list)
{
	_cleanup_free_ uint32_t *list = NULL;
	size_t n = 0, cap = 0;

	*ret_list = NULL;
	if (node == CALL_NONE)
		return 0;
	for (uint32_t at = tree->nodes[node].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		if (mem_reserve(&list, &cap, n + 1, sizeof(*list)) < 0)
			return -ENOMEM;
		list[n++] = at;
	}
	if (n)
		qsort_r(list, n, sizeof(*list), compare_nodes, (void *)tree);
	*ret_list = TAKE_PTR(list);
	return (int)n;
}

static int add(struct call_diff *diff, uint32_t parent, uint32_t before, uint32_t after)
{
	if (mem_reserve(&diff->nodes, &diff->cap, diff->n + 1, sizeof(*diff->nodes)) < 0)
		return -ENOMEM;
	diff->nodes[diff->n] = (struct call_diff_node){ .before = before,
							.after = after,
							.parent = parent,
							.child = CALL_NONE,
							.sibling = CALL_NONE };
	if (parent != CALL_NONE) {
		diff->nodes[diff->n].sibling = diff->nodes[parent].child;
		diff->nodes[parent].child = (uint32_t)diff->n;
	}
	diff->n++;
	return 0;
}

/* Lays the children of one node on one another. */
static int lay(struct call_diff *diff, uint32_t node)
{
	_cleanup_free_ uint32_t *a = NULL, *b = NULL;
	int n = sorted_children(diff->before, diff->nodes[node].before, &a);
	int m = sorted_children(diff->after, diff->nodes[node].after, &b);
	int r = n < 0 || m < 0 ? -ENOMEM : 0;

	for (int i = 0, k = 0; r == 0 && (i < n || k < m);) {
		int order = i == n ? 1 : k == m ? -1 : 0;

		if (i < n && k < m)
			order = compare_funcs(
				&diff->before->funcs.list[diff->before->nodes[a[i]].func],
				&diff->after->funcs.list[diff->after->nodes[b[k]].func]);
		r = add(diff, node, order <= 0 ? a[i] : CALL_NONE, order >= 0 ? b[k] : CALL_NONE);
		i += order <= 0;
		k += order >= 0;
	}
	return r;
}

int call_diff_make(const struct call_tree *before, const struct call_tree *after,
		   struct call_diff *ret_diff)
{
	int r;

	*ret_diff = (struct call_diff){ .before = before, .after = after };
	r = add(ret_diff, CALL_NONE, CALL_ROOT, CALL_ROOT);
	/* Those that are added come later in the list, so that all are visited. */
	for (uint32_t i = 0; i < ret_diff->n && r == 0; i++)
		r = lay(ret_diff, i);
	if (r < 0)
		call_diff_done(ret_diff);
	return r;
}

void call_diff_done(struct call_diff *diff)
{
	free(diff->nodes);
	*diff = (struct call_diff){ 0 };
}

const struct call_node *call_diff_before(const struct call_diff *diff, uint32_t node)
{
	uint32_t at = diff->nodes[node].before;

	return at == CALL_NONE ? &nothing : &diff->before->nodes[at];
}

const struct call_node *call_diff_after(const struct call_diff *diff, uint32_t node)
{
	uint32_t at = diff->nodes[node].after;

	return at == CALL_NONE ? &nothing : &diff->after->nodes[at];
}

const struct func *call_diff_func(const struct call_diff *diff, uint32_t node)
{
	const struct call_diff_node *at = &diff->nodes[node];

	return at->before != CALL_NONE ?
		       &diff->before->funcs.list[diff->before->nodes[at->before].func] :
		       &diff->after->funcs.list[diff->after->nodes[at->after].func];
}

int64_t call_diff_change(const struct call_diff *diff, uint32_t node)
{
	return (int64_t)(call_diff_after(diff, node)->times.total -
			 call_diff_before(diff, node)->times.total);
}
