/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/replay/replay-tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* The common header of an event: its ID and task. */
#define COMMON_BYTES 8

/* Returns the bytes that are compared. */
static size_t own_bytes(const struct replay_tree *tree, const struct replay_node *node,
			const char **ret_bytes)
{
	size_t skip = node->kind == REPLAY_AWAY || node->kind == REPLAY_SYSCALL ? 0 : COMMON_BYTES;

	if (node->len <= skip)
		return 0;
	*ret_bytes = tree->bytes + node->at + skip;
	return node->len - skip;
}

static uint32_t take_node(struct replay_tree *tree)
{
	uint32_t at;

	if (tree->free) {
		at = tree->free - 1;
		tree->free = tree->nodes[at].next;
		tree->n_used++;
		return at;
	}
	if (tree->n >= REPLAY_NODES_MAX) {
		tree->full = true;
		return REPLAY_NONE;
	}
	if (mem_reserve(&tree->nodes, &tree->cap, tree->n + 1, sizeof(*tree->nodes)) < 0) {
		tree->nomem = true;
		return REPLAY_NONE;
	}
	tree->n_used++;
	return (uint32_t)tree->n++;
}

static void link_last(struct replay_tree *tree, uint32_t parent, uint32_t at)
{
	struct replay_node *node = &tree->nodes[at], *above;

	node->parent = parent;
	node->prev = node->next = REPLAY_NONE;
	if (parent == REPLAY_NONE)
		return;
	above = &tree->nodes[parent];
	node->prev = above->last;
	if (above->last == REPLAY_NONE)
		above->first = at;
	else
		tree->nodes[above->last].next = at;
	above->last = at;
}

static void unlink_node(struct replay_tree *tree, uint32_t at)
{
	struct replay_node *node = &tree->nodes[at];

	if (node->prev != REPLAY_NONE)
		tree->nodes[node->prev].next = node->next;
	else if (node->parent != REPLAY_NONE)
		tree->nodes[node->parent].first = node->next;
	if (node->next != REPLAY_NONE)
		tree->nodes[node->next].prev = node->prev;
	else if (node->parent != REPLAY_NONE)
		tree->nodes[node->parent].last = node->prev;
	node->parent = node->prev = node->next = REPLAY_NONE;
}

uint32_t replay_tree_add(struct replay_tree *tree, uint32_t parent, enum replay_kind kind,
			 uint32_t what, uint64_t start)
{
	uint32_t at = take_node(tree);

	if (at == REPLAY_NONE)
		return at;
	tree->nodes[at] = (struct replay_node){
		.kind = kind,
		.flags = REPLAY_OPEN,
		.first = REPLAY_NONE,
		.last = REPLAY_NONE,
		.what = what,
		.start = start,
		.count = 1,
	};
	link_last(tree, parent, at);
	return at;
}

void replay_tree_move(struct replay_tree *tree, uint32_t node, uint32_t parent)
{
	unlink_node(tree, node);
	link_last(tree, parent, node);
}

static bool replay_tree_is_used(const struct replay_node *node)
{
	return node->count > 0;
}

#define PACKED_PER_NODE 16

/* Drops the bytes of removed nodes. */
static void pack_bytes(struct replay_tree *tree)
{
	char *packed = mem_alloc(tree->cap_bytes);
	size_t n = 0;

	if (!packed)
		return;
	for (size_t i = 0; i < tree->n; i++) {
		struct replay_node *node = &tree->nodes[i];

		if (!replay_tree_is_used(node) || !node->len)
			continue;
		memcpy(packed + n, tree->bytes + node->at, node->len);
		node->at = (uint32_t)n;
		n += node->len;
	}
	free(tree->bytes);
	tree->bytes = packed;
	tree->n_bytes = n;
}

void replay_tree_set_bytes(struct replay_tree *tree, uint32_t at, const void *bytes, size_t len)
{
	struct replay_node *node = &tree->nodes[at];

	if (!len || len > UINT16_MAX)
		return;
	/* Packing visits all nodes: do it only if enough bytes can be dropped. */
	if (tree->n_bytes + len > tree->cap_bytes && tree->live_bytes < tree->n_bytes / 2 &&
	    tree->n_bytes >= tree->n * PACKED_PER_NODE)
		pack_bytes(tree);
	if (tree->n_bytes + len > REPLAY_BYTES_MAX) {
		tree->full = true;
		return;
	}
	if (mem_reserve(&tree->bytes, &tree->cap_bytes, tree->n_bytes + len, 1) < 0) {
		tree->nomem = true;
		return;
	}
	memcpy(tree->bytes + tree->n_bytes, bytes, len);
	node->at = (uint32_t)tree->n_bytes;
	node->len = (uint32_t)len;
	tree->n_bytes += len;
	tree->live_bytes += len;
}

const char *replay_tree_bytes(const struct replay_tree *tree, const struct replay_node *node)
{
	return node->len ? tree->bytes + node->at : "";
}

static void replay_tree_release(struct replay_tree *tree, uint32_t at)
{
	struct replay_node *node = &tree->nodes[at];

	for (uint32_t child = node->first; child != REPLAY_NONE;) {
		uint32_t next = tree->nodes[child].next;

		replay_tree_release(tree, child);
		child = next;
	}
	tree->live_bytes -= node->len;
	*node = (struct replay_node){ .next = tree->free };
	tree->free = at + 1;
	tree->n_used--;
}

void replay_tree_remove(struct replay_tree *tree, uint32_t node)
{
	unlink_node(tree, node);
	replay_tree_release(tree, node);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xd6e8feb86659fd93U;
	return hash ^ hash >> 32;
}

static uint64_t make_shape(const struct replay_tree *tree, const struct replay_node *node)
{
	uint64_t hash = mix(0x9e3779b97f4a7c15U, (uint64_t)node->kind << 32 | node->what);

	hash = mix(hash, node->flags & (REPLAY_NO_START | REPLAY_NO_END | REPLAY_BEFORE));
	hash = mix(hash, node->fate);
	if (node->flags & REPLAY_EXACT) {
		const char *bytes = NULL;
		size_t len = own_bytes(tree, node, &bytes);

		hash = mix(mix(hash, hash_bytes(bytes, len, 1)), (uint64_t)node->result);
	}
	for (uint32_t at = node->first; at != REPLAY_NONE; at = tree->nodes[at].next)
		hash = mix(hash, tree->nodes[at].shape);
	return hash;
}

static bool has_same_bytes(const struct replay_tree *tree, const struct replay_node *a,
			   const struct replay_node *b)
{
	const char *p = NULL, *q = NULL;
	size_t len = own_bytes(tree, a, &p);

	return len == own_bytes(tree, b, &q) && (!len || memcmp(p, q, len) == 0);
}

/* Adds the counts of @from to those of @to, which is equal. */
static void replay_tree_add_up(struct replay_tree *tree, uint32_t to, uint32_t from)
{
	struct replay_node *a = &tree->nodes[to], *b = &tree->nodes[from];
	uint32_t p = a->first, q = b->first;

	if (!has_same_bytes(tree, a, b))
		a->flags |= REPLAY_VARIES;
	if (a->result != b->result)
		a->flags |= a->kind == REPLAY_LOST ? 0 : REPLAY_RESULT_VARIES;
	a->result += a->kind == REPLAY_LOST ? b->result : 0;
	a->flags |= b->flags & (REPLAY_NO_TIMES | REPLAY_VARIES | REPLAY_RESULT_VARIES);
	a->count += b->count;
	a->hidden += b->hidden;
	a->times.total += b->times.total;
	a->times.own += b->times.own;
	a->times.stolen += b->times.stolen;
	a->times.asleep += b->times.asleep;
	a->min = b->min < a->min ? b->min : a->min;
	a->max = b->max > a->max ? b->max : a->max;
	for (; p != REPLAY_NONE && q != REPLAY_NONE;
	     p = tree->nodes[p].next, q = tree->nodes[q].next)
		replay_tree_add_up(tree, p, q);
}

static void replay_tree_merge(struct replay_tree *tree, uint32_t to, uint32_t from)
{
	replay_tree_add_up(tree, to, from);
	replay_tree_remove(tree, from);
}

/* The time of a group is that of its children, kept up to date with @added. */
static void add_to_group(struct replay_node *group, const struct call_times *added)
{
	group->times.total += added->total;
	group->times.stolen += added->stolen;
	group->times.asleep += added->asleep;
}

/* Returns whether the @k siblings up to @b equal those up to @a. */
static bool replay_tree_is_row(const struct replay_tree *tree, uint32_t a, uint32_t b, unsigned k)
{
	for (; k; k--) {
		if (a == REPLAY_NONE || b == REPLAY_NONE ||
		    tree->nodes[a].shape != tree->nodes[b].shape ||
		    (tree->nodes[a].flags | tree->nodes[b].flags) & REPLAY_OPEN)
			return false;
		a = tree->nodes[a].prev;
		b = tree->nodes[b].prev;
	}
	return true;
}

static unsigned n_children(const struct replay_tree *tree, uint32_t node)
{
	unsigned n = 0;

	for (uint32_t at = tree->nodes[node].first; at != REPLAY_NONE; at = tree->nodes[at].next)
		n++;
	return n;
}

/* The last @k siblings repeat the group @group before them. */
static void repeat_group(struct replay_tree *tree, uint32_t group, unsigned k)
{
	uint32_t to = tree->nodes[group].last;

	for (; k; k--) {
		uint32_t from = tree->nodes[tree->nodes[group].parent].last;
		uint32_t before = tree->nodes[to].prev;

		add_to_group(&tree->nodes[group], &tree->nodes[from].times);
		replay_tree_merge(tree, to, from);
		to = before;
	}
	tree->nodes[group].count++;
}

/* Makes a group of the @k siblings up to @last, and those before them. */
static void make_group(struct replay_tree *tree, uint32_t last, unsigned k)
{
	uint32_t parent = tree->nodes[last].parent, at = last, group;

	for (unsigned i = 1; i < 2 * k; i++)
		at = tree->nodes[at].prev;
	group = replay_tree_add(tree, REPLAY_NONE, REPLAY_GROUP, k, tree->nodes[at].start);
	if (group == REPLAY_NONE)
		return;
	tree->nodes[group].cpu = tree->nodes[at].cpu;
	tree->nodes[group].flags &= ~(unsigned)REPLAY_OPEN;
	for (unsigned i = 0; i < k; i++) {
		uint32_t next = tree->nodes[at].next;

		unlink_node(tree, at);
		link_last(tree, group, at);
		add_to_group(&tree->nodes[group], &tree->nodes[at].times);
		at = next;
	}
	tree->nodes[group].shape = make_shape(tree, &tree->nodes[group]);
	/* Inserts it before the second row, which is then merged into it. */
	tree->nodes[group].parent = parent;
	tree->nodes[group].prev = tree->nodes[at].prev;
	tree->nodes[group].next = at;
	if (tree->nodes[at].prev == REPLAY_NONE)
		tree->nodes[parent].first = group;
	else
		tree->nodes[tree->nodes[at].prev].next = group;
	tree->nodes[at].prev = group;
	repeat_group(tree, group, k);
}

/* Merges @node, the last sibling, into those before it if it repeats them. */
static void collapse_last(struct replay_tree *tree, uint32_t node)
{
	uint32_t before = tree->nodes[node].prev, at = before;

	if (replay_tree_is_row(tree, before, node, 1)) {
		replay_tree_merge(tree, before, node);
		return;
	}
	if (before != REPLAY_NONE && tree->nodes[before].kind == REPLAY_GROUP &&
	    replay_tree_is_row(tree, tree->nodes[before].last, node, 1)) {
		add_to_group(&tree->nodes[before], &tree->nodes[node].times);
		replay_tree_merge(tree, tree->nodes[before].last, node);
		return;
	}
	for (unsigned k = 2; k <= REPLAY_ROW_MAX && at != REPLAY_NONE; k++) {
		at = tree->nodes[at].prev;
		if (at == REPLAY_NONE)
			return;
		if (tree->nodes[at].kind == REPLAY_GROUP && n_children(tree, at) == k &&
		    replay_tree_is_row(tree, tree->nodes[at].last, node, k)) {
			repeat_group(tree, at, k);
			return;
		}
		if (replay_tree_is_row(tree, at, node, k)) {
			make_group(tree, node, k);
			return;
		}
	}
}

void replay_tree_close(struct replay_tree *tree, uint32_t at, bool collapse)
{
	struct replay_node *node = &tree->nodes[at];

	node->flags &= ~(unsigned)REPLAY_OPEN;
	node->min = node->max = node->times.total;
	node->shape = make_shape(tree, node);
	if (collapse && node->parent != REPLAY_NONE && node->next == REPLAY_NONE)
		collapse_last(tree, at);
}

void replay_tree_done(struct replay_tree *tree)
{
	free(tree->nodes);
	free(tree->bytes);
	*tree = (struct replay_tree){ 0 };
}
