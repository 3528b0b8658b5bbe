/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls added up by their path: a node is a function as it was called from the functions
 * above it. Node 0 is the root, which is no function. Nodes that hang in the air (with
 * call_tree_detached()) collect what was called by a function that is not known yet, and
 * are moved to where they belong later.
 *
 * Numbers of nodes stay valid until the node is moved with call_tree_graft().
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

/* What a call took, in nanoseconds. */
struct call_times {
	uint64_t total; /* from its start to its end */
	uint64_t own; /* neither in a function that it called, nor asleep, nor in an interrupt */
	uint64_t stolen; /* by interrupts, anywhere inside */
	uint64_t asleep; /* not on a CPU, anywhere inside */
	uint64_t waiting; /* of @asleep: runnable, as far as preemption and wakeups were recorded */
};

struct call_node {
	uint32_t func;
	uint32_t parent, child, sibling; /* nodes; CALL_NONE */
	uint64_t count; /* calls of which both ends are known; all that follows is about these */
	uint64_t cut; /* calls that began or ended where nothing was recorded */
	struct call_times times; /* the sums */
	struct call_times
		cut_inner; /* of calls below that are in none of these times: inside of calls that are cut */
	uint64_t min, max;
	struct spread spread;
	struct time_blocks blocks; /* without what others took, see call_tree_note() */
	uint64_t outermost,
		last_outermost; /* how many calls it was in that no other was around; the last one */
	uint64_t results; /* calls of which the result was recorded */
	uint64_t failed; /* of these */
	struct error_counts *errors; /* owned; NULL: none failed */
};

struct call_tree {
	struct func_table funcs; /* what the nodes' numbers mean */
	struct call_node *nodes;
	size_t n, cap;
	uint32_t *slots; /* nodes by parent and function, a hash table of 1 << bits; + 1 */
	size_t used;
	unsigned bits;
	uint64_t switches, interrupts; /* how often a task was taken off its CPU, and interrupted */
	bool with_spread;
	bool nomem; /* something is missing */
};

/* @kallsyms must outlive the tree; NULL: there are no names. 0 or -ENOMEM. */
int call_tree_init(struct call_tree *tree, const struct kallsyms *kallsyms, bool with_spread);
void call_tree_done(struct call_tree *tree);

/* The node of @func called by @parent, made when there is none; CALL_NONE without memory. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t func);
/* A node that is nobody's child yet. */
uint32_t call_tree_detached(struct call_tree *tree);
void call_times_add(struct call_times *sum, const struct call_times *times);
void call_tree_add(struct call_tree *tree, uint32_t node, const struct call_times *times);
/*
 * For comparisons with other runs: when one of the calls that were added ended, and the number of the outermost
 * call that it was in; 0: interrupts or other tasks decide how often it is called. What interrupts took, and what it waited for a CPU, is not the call's.
 */
void call_tree_note(struct call_tree *tree, uint32_t node, const struct call_times *times,
		    uint64_t end, uint64_t outermost);
/* What one of the calls that were added has returned. */
void call_tree_add_result(struct call_tree *tree, uint32_t node, int64_t result);
void call_tree_add_cut(struct call_tree *tree, uint32_t node);
/* What was counted below @node inside of a call that is cut. */
void call_tree_add_cut_inner(struct call_tree *tree, uint32_t node, const struct call_times *inner);
/* Adds what was counted at a node of any tree. */
void call_tree_add_node(struct call_tree *tree, uint32_t to, const struct call_node *from);
/* Adds all that is below @from in @other, which may be @tree, to what is below @to. */
void call_tree_graft(struct call_tree *tree, uint32_t to, const struct call_tree *other,
		     uint32_t from);

#endif
