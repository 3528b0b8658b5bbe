/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/call-view.h"

#include <errno.h>

#include "analyze/calls/phases.h"

/* Returns the next node in preorder, or CALL_NONE after the last. */
static uint32_t next_node(const struct call_tree *tree, uint32_t at)
{
	if (tree->nodes[at].child != CALL_NONE)
		return tree->nodes[at].child;
	while (at != CALL_ROOT && tree->nodes[at].sibling == CALL_NONE)
		at = tree->nodes[at].parent;
	return at == CALL_ROOT ? CALL_NONE : tree->nodes[at].sibling;
}

static bool is_inside_itself(const struct call_tree *tree, uint32_t at)
{
	uint32_t func = tree->nodes[at].func;

	while ((at = tree->nodes[at].parent) != CALL_ROOT)
		if (tree->nodes[at].func == func)
			return true;
	return false;
}

static uint32_t child_in(struct call_tree *view, uint32_t parent, const struct call_tree *tree,
			 uint32_t func)
{
	uint32_t same = func_table_same(&view->funcs, &tree->funcs.list[func]);

	if (same == FUNC_NONE) {
		view->nomem = true;
		return CALL_NONE;
	}
	return call_tree_child(view, parent, same);
}

/* Adds a node to another. Adds its time only if that is not part of a node that was added. */
static void call_view_add(struct call_tree *view, uint32_t to, const struct call_node *from,
			  bool with_time)
{
	struct call_node node = *from;

	if (!with_time) {
		node.times = (struct call_times){ .own = from->times.own };
		node.cut_inner = (struct call_times){ 0 };
	}
	call_tree_add_node(view, to, &node);
}

static int call_view_begin(const struct call_tree *tree, struct call_tree *view)
{
	int r = call_tree_init(view, tree->funcs.kallsyms, tree->with_spread);

	view->switches = tree->switches;
	view->interrupts = tree->interrupts;
	return r;
}

static int call_view_finish(struct call_tree *view, struct call_tree *ret_view)
{
	if (view->nomem) {
		call_tree_done(view);
		return -ENOMEM;
	}
	*ret_view = *view;
	return 0;
}

int call_view_below(const struct call_tree *tree, call_view_match *match, const void *data,
		    struct call_tree *ret_view)
{
	struct call_tree view;
	int r = call_view_begin(tree, &view);

	if (r < 0)
		return r;
	for (uint32_t at = next_node(tree, CALL_ROOT); at != CALL_NONE; at = next_node(tree, at)) {
		const struct call_node *node = &tree->nodes[at];
		uint32_t to;

		if (!match(data, &tree->funcs.list[node->func]))
			continue;
		to = child_in(&view, CALL_ROOT, tree, node->func);
		if (to == CALL_NONE)
			break;
		/* Inner calls of a recursion are already included in the outermost. */
		if (is_inside_itself(tree, at))
			continue;
		call_view_add(&view, to, node, true);
		call_tree_graft(&view, to, tree, at);
	}
	return call_view_finish(&view, ret_view);
}

int call_view_callers(const struct call_tree *tree, call_view_match *match, const void *data,
		      struct call_tree *ret_view)
{
	struct call_tree view;
	int r = call_view_begin(tree, &view);

	if (r < 0)
		return r;
	for (uint32_t at = next_node(tree, CALL_ROOT); at != CALL_NONE; at = next_node(tree, at)) {
		const struct call_node *node = &tree->nodes[at];
		uint32_t to = CALL_ROOT;

		if (!match(data, &tree->funcs.list[node->func]))
			continue;
		for (uint32_t up = at; up != CALL_ROOT && to != CALL_NONE;
		     up = tree->nodes[up].parent) {
			to = child_in(&view, to, tree, tree->nodes[up].func);
			if (to != CALL_NONE)
				call_view_add(&view, to, node, !is_inside_itself(tree, at));
		}
	}
	return call_view_finish(&view, ret_view);
}

int call_view_flat(const struct call_tree *tree, struct call_tree *ret_view)
{
	struct call_tree view;
	int r = call_view_begin(tree, &view);

	if (r < 0)
		return r;
	for (uint32_t at = next_node(tree, CALL_ROOT); at != CALL_NONE; at = next_node(tree, at)) {
		uint32_t to = child_in(&view, CALL_ROOT, tree, tree->nodes[at].func);

		if (to == CALL_NONE)
			break;
		call_view_add(&view, to, &tree->nodes[at], !is_inside_itself(tree, at));
	}
	return call_view_finish(&view, ret_view);
}

static uint64_t own_of_all(const struct call_tree *tree, uint32_t at)
{
	uint64_t own = tree->nodes[at].times.own;

	for (uint32_t child = tree->nodes[at].child; child != CALL_NONE;
	     child = tree->nodes[child].sibling)
		own += own_of_all(tree, child);
	return own;
}

/* Returns the phase of a function if it is noise, or PHASE_NONE. */
static int noise_of(const struct phases *phases, const struct func *func)
{
	int phase = func->name && !(func->flags & FUNC_USER) ? phases_find(phases, func->name) :
							       PHASE_NONE;

	return phase != PHASE_NONE && phases_get(phases, phase)->noise ? phase : PHASE_NONE;
}

/* Adds the subtree below @from to that below @to. */
static void call_view_fold(struct call_tree *view, uint32_t to, const struct call_tree *tree,
			   uint32_t from, const struct phases *phases, bool with_these)
{
	for (uint32_t at = tree->nodes[from].child; at != CALL_NONE; at = tree->nodes[at].sibling) {
		const struct call_node *node = &tree->nodes[at];
		int noise = with_these ? noise_of(phases, &tree->funcs.list[node->func]) :
					 PHASE_NONE;
		struct call_node sum = *node;
		uint32_t func, child;

		if (noise == PHASE_NONE) {
			child = child_in(view, to, tree, node->func);
			if (child == CALL_NONE)
				return;
			call_tree_add_node(view, child, node);
			call_view_fold(view, child, tree, at, phases, true);
			continue;
		}
		func = func_table_folded(&view->funcs, (uint32_t)noise,
					 phases_get(phases, noise)->name);
		child = func == FUNC_NONE ? CALL_NONE : call_tree_child(view, to, func);
		if (child == CALL_NONE) {
			view->nomem = true;
			return;
		}
		sum.times.own = own_of_all(tree, at);
		call_tree_add_node(view, child, &sum);
	}
}

int call_view_folded(const struct call_tree *tree, const struct phases *phases, bool with_outermost,
		     struct call_tree *ret_view)
{
	struct call_tree view;
	int r = call_view_begin(tree, &view);

	if (r < 0)
		return r;
	call_view_fold(&view, CALL_ROOT, tree, CALL_ROOT, phases, with_outermost);
	return call_view_finish(&view, ret_view);
}
