/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls summed by call chain: a node is a function as called through the functions above it. Node 0
 * is the root, which is not a function. Detached nodes (see call_tree_detached()) collect the
 * callees of a function that is not known yet, and are attached later.
 *
 * Node numbers stay valid until the node is moved with call_tree_graft(); pointers to nodes only
 * until a node is added. If memory is exhausted, @nomem is set, and the tree is incomplete. Times
 * are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_CALL_TREE_H
#define FATHOM_ANALYZE_CALLS_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/sums/error-counts.h"
#include "analyze/calls/func-table.h"
#include "analyze/sums/spread.h"
#include "analyze/tasks/time-blocks.h"

#define CALL_ROOT 0U
#define CALL_NONE UINT32_MAX

/* The time of a call, or the sum over calls. */
struct call_times {
	uint64_t total; /* from entry to exit */
	uint64_t own; /* self time: without callees, sleep and interrupts */
	uint64_t stolen; /* by interrupts, including those in callees */
	uint64_t asleep; /* off the CPU, including in callees */
	uint64_t waiting; /* part of @asleep: runnable, if preemption and wakeups were recorded */
};

struct call_node {
	uint32_t func;
	uint32_t parent, child, sibling; /* nodes or CALL_NONE */
	uint64_t count; /* complete calls; the following members cover only these */
	uint64_t cut; /* calls whose entry or exit was not recorded */
	struct call_times times; /* sums */
	struct call_times cut_inner; /* of calls nested in cut ones; not in the other sums */
	uint64_t min, max;
	struct spread spread;
	/* Without interrupts and waits for a CPU; see call_tree_note(). */
	struct time_blocks blocks;
	uint64_t outermost, last_outermost;
	uint64_t results; /* calls with a recorded result */
	uint64_t failed; /* of these */
	struct error_counts *errors; /* NULL: none failed */
};

struct call_tree {
	struct func_table funcs; /* by func */
	struct call_node *nodes;
	size_t n, cap;
	uint32_t *slots; /* hash table of 1 << @bits: parent and function -> node + 1 */
	size_t used;
	unsigned bits;
	uint64_t switches, interrupts; /* times that a task left its CPU, and was interrupted */
	bool with_spread;
	bool nomem; /* the tree is incomplete */
};

/* @kallsyms must outlive the tree; NULL: no names. Returns 0 or -ENOMEM, with nothing to free. */
int call_tree_init(struct call_tree *tree, const struct kallsyms *kallsyms, bool with_spread);
void call_tree_done(struct call_tree *tree);

/*
 * Returns the node of @func called by @parent, adding it if necessary. CALL_NONE if memory is
 * exhausted.
 */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t func);
/* Adds a node without a parent. Returns CALL_NONE if memory is exhausted. */
uint32_t call_tree_detached(struct call_tree *tree);
void call_times_add(struct call_times *sum, const struct call_times *times);
void call_tree_add(struct call_tree *tree, uint32_t node, const struct call_times *times);
/*
 * For comparisons with other runs: notes the end of a call that was added, and the number of its
 * outermost call, which is 0 if its frequency depends on interrupts or other tasks. Time taken by
 * interrupts and waits for a CPU does not count.
 */
void call_tree_note(struct call_tree *tree, uint32_t node, const struct call_times *times,
		    uint64_t end, uint64_t outermost);
/* Adds the result of a call that was added. */
void call_tree_add_result(struct call_tree *tree, uint32_t node, int64_t result);
void call_tree_add_cut(struct call_tree *tree, uint32_t node);
/* Adds the times of calls below @node that are nested in a cut call. */
void call_tree_add_cut_inner(struct call_tree *tree, uint32_t node, const struct call_times *inner);
/* Adds the counts and times of a node of any tree. */
void call_tree_add_node(struct call_tree *tree, uint32_t to, const struct call_node *from);
/*
 * Adds the subtree below @from in @other to that below @to. @other may be @tree: the subtree is
 * then moved.
 */
void call_tree_graft(struct call_tree *tree, uint32_t to, const struct call_tree *other,
		     uint32_t from);

#endif
