/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/call-tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define BITS_FIRST 10

static uint32_t call_tree_place(const struct call_tree *tree, uint32_t parent, uint32_t func)
{
	return hash_u32(parent, hash_u32(func, hash_seed())) >> (32 - tree->bits);
}

static uint32_t *call_tree_find_slot(const struct call_tree *tree, uint32_t parent, uint32_t func)
{
	uint32_t mask = (1U << tree->bits) - 1;

	for (uint32_t i = call_tree_place(tree, parent, func);; i = (i + 1) & mask) {
		uint32_t *slot = &tree->slots[i];
		const struct call_node *node = &tree->nodes[*slot - 1];

		if (!*slot || (node->parent == parent && node->func == func))
			return slot;
	}
}

static int call_tree_grow(struct call_tree *tree)
{
	struct call_tree larger = *tree;

	larger.bits = tree->slots ? tree->bits + 1 : BITS_FIRST;
	larger.slots = larger.bits < 32 ? mem_zalloc((size_t)1 << larger.bits, sizeof(uint32_t)) :
					  NULL;
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; tree->slots && i < (size_t)1 << tree->bits; i++) {
		const struct call_node *node = &tree->nodes[tree->slots[i] - 1];

		if (tree->slots[i])
			*call_tree_find_slot(&larger, node->parent, node->func) = tree->slots[i];
	}
	free(tree->slots);
	*tree = larger;
	return 0;
}

static uint32_t call_tree_new_node(struct call_tree *tree, uint32_t parent, uint32_t func)
{
	if (tree->n >= CALL_NONE - 1 ||
	    mem_reserve(&tree->nodes, &tree->cap, tree->n + 1, sizeof(*tree->nodes)) < 0) {
		tree->nomem = true;
		return CALL_NONE;
	}
	tree->nodes[tree->n] = (struct call_node){
		.func = func, .parent = parent, .child = CALL_NONE, .sibling = CALL_NONE
	};
	return (uint32_t)tree->n++;
}

int call_tree_init(struct call_tree *tree, const struct kallsyms *kallsyms, bool with_spread)
{
	*tree = (struct call_tree){ .funcs.kallsyms = kallsyms, .with_spread = with_spread };
	if (call_tree_grow(tree) == 0 &&
	    call_tree_new_node(tree, CALL_NONE, FUNC_NONE) == CALL_ROOT)
		return 0;
	call_tree_done(tree);
	return -ENOMEM;
}

void call_tree_done(struct call_tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		spread_done(&tree->nodes[i].spread);
		time_blocks_done(&tree->nodes[i].blocks);
		free(tree->nodes[i].errors);
	}
	func_table_done(&tree->funcs);
	free(tree->nodes);
	free(tree->slots);
	memset(tree, 0, sizeof(*tree));
}

uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t func)
{
	uint32_t *slot = call_tree_find_slot(tree, parent, func);
	uint32_t node;

	if (*slot)
		return *slot - 1;
	if (tree->used >= (size_t)3 << (tree->bits - 2)) {
		if (call_tree_grow(tree) < 0) {
			tree->nomem = true;
			return CALL_NONE;
		}
		slot = call_tree_find_slot(tree, parent, func);
	}
	node = call_tree_new_node(tree, parent, func);
	if (node == CALL_NONE)
		return node;
	*slot = node + 1;
	tree->used++;
	tree->nodes[node].sibling = tree->nodes[parent].child;
	tree->nodes[parent].child = node;
	return node;
}

uint32_t call_tree_detached(struct call_tree *tree)
{
	return call_tree_new_node(tree, CALL_NONE, FUNC_NONE);
}

void call_times_add(struct call_times *sum, const struct call_times *times)
{
	sum->total += times->total;
	sum->own += times->own;
	sum->stolen += times->stolen;
	sum->asleep += times->asleep;
	sum->waiting += times->waiting;
}

void call_tree_add(struct call_tree *tree, uint32_t node, const struct call_times *times)
{
	struct call_node *n = &tree->nodes[node];

	if (!n->count || times->total < n->min)
		n->min = times->total;
	if (times->total > n->max)
		n->max = times->total;
	n->count++;
	call_times_add(&n->times, times);
	if (tree->with_spread && spread_add(&n->spread, times->total) < 0)
		tree->nomem = true;
}

void call_tree_note(struct call_tree *tree, uint32_t node, const struct call_times *times,
		    uint64_t end, uint64_t outermost)
{
	struct call_node *n = &tree->nodes[node];
	uint64_t away = times->stolen + times->waiting;

	if (outermost && n->last_outermost != outermost)
		n->outermost++;
	n->last_outermost = outermost;
	if (time_blocks_add(&n->blocks, end, times->total > away ? times->total - away : 0) < 0)
		tree->nomem = true;
}

static void add_errors(struct call_tree *tree, struct call_node *node, int64_t code, uint64_t count)
{
	if (!node->errors)
		node->errors = mem_zalloc(1, sizeof(*node->errors));
	if (node->errors)
		error_counts_add(node->errors, code, count);
	else
		tree->nomem = true;
}

void call_tree_add_result(struct call_tree *tree, uint32_t node, int64_t result)
{
	struct call_node *n = &tree->nodes[node];
	int64_t code = error_code_of_call(result);

	n->results++;
	if (!code)
		return;
	n->failed++;
	add_errors(tree, n, code, 1);
}

void call_tree_add_cut(struct call_tree *tree, uint32_t node)
{
	tree->nodes[node].cut++;
}

void call_tree_add_cut_inner(struct call_tree *tree, uint32_t node, const struct call_times *inner)
{
	call_times_add(&tree->nodes[node].cut_inner, inner);
}

void call_tree_add_node(struct call_tree *tree, uint32_t to, const struct call_node *from)
{
	struct call_node *n = &tree->nodes[to];

	if (from->count && (!n->count || from->min < n->min))
		n->min = from->min;
	if (from->max > n->max)
		n->max = from->max;
	n->count += from->count;
	n->cut += from->cut;
	call_times_add(&n->times, &from->times);
	call_times_add(&n->cut_inner, &from->cut_inner);
	n->results += from->results;
	n->failed += from->failed;
	for (size_t i = 0; from->errors && i < from->errors->n; i++)
		add_errors(tree, n, from->errors->list[i].code, from->errors->list[i].count);
	n->outermost += from->outermost;
	if (spread_merge(&n->spread, &from->spread) < 0 ||
	    time_blocks_merge(&n->blocks, &from->blocks) < 0)
		tree->nomem = true;
}

/* Clears a node whose contents have been moved. */
static void call_tree_forget(struct call_node *node)
{
	node->count = node->cut = 0;
	node->times = node->cut_inner = (struct call_times){ 0 };
	spread_done(&node->spread);
	time_blocks_done(&node->blocks);
	node->outermost = 0;
	node->results = node->failed = 0;
	free(node->errors);
	node->errors = NULL;
}

/* Returns the node of @tree for a function of @other. */
static uint32_t same_child(struct call_tree *tree, uint32_t parent, const struct call_tree *other,
			   uint32_t func)
{
	if (other != tree)
		func = func_table_same(&tree->funcs, &other->funcs.list[func]);
	if (func == FUNC_NONE) {
		tree->nomem = true;
		return CALL_NONE;
	}
	return call_tree_child(tree, parent, func);
}

/* Walks both trees side by side, without recursion: the nesting in a trace is unbounded. */
void call_tree_graft(struct call_tree *tree, uint32_t to, const struct call_tree *other,
		     uint32_t from)
{
	uint32_t at = other->nodes[from].child;

	while (at != CALL_NONE) {
		uint32_t mine = same_child(tree, to, other, other->nodes[at].func);

		if (mine == CALL_NONE)
			return;
		call_tree_add_node(tree, mine, &other->nodes[at]);
		if (other == tree)
			call_tree_forget(&tree->nodes[at]);
		if (other->nodes[at].child != CALL_NONE) {
			to = mine;
			at = other->nodes[at].child;
			continue;
		}
		while (at != from && other->nodes[at].sibling == CALL_NONE) {
			at = other->nodes[at].parent;
			if (at != from)
				to = tree->nodes[to].parent;
		}
		if (at == from)
			return;
		at = other->nodes[at].sibling;
	}
}
