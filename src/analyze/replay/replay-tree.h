/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What happened, one after the other and one inside the other: the tree that a replay is made
 * of. Siblings are in the order of time. Where a sibling is like the one before it, or a few are
 * like the few before them, they become one that counts, so that a loop of any length takes the
 * memory of one turn.
 *
 * Two nodes are alike when they mean the same and so do those below them; how long they took,
 * and how often something in them repeats, does not matter.
 */
#ifndef FATHOM_ANALYZE_REPLAY_REPLAY_TREE_H
#define FATHOM_ANALYZE_REPLAY_REPLAY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/calls/call-tree.h"
#include "analyze/syscalls/syscall-fate.h"

#define REPLAY_NONE UINT32_MAX
/* So many nodes and bytes are kept at most; what comes then is hidden or has no text. */
#define REPLAY_NODES_MAX 200000
#define REPLAY_BYTES_MAX (16U << 20)
/* The longest row of siblings that is found to repeat. */
#define REPLAY_ROW_MAX 8

enum replay_kind {
	REPLAY_CALL, /* of a function */
	REPLAY_NOISE, /* calls that explain nothing, by what they are about */
	REPLAY_FUNCTION, /* a call of which only the beginning is recorded */
	REPLAY_SYSCALL,
	REPLAY_IRQ, /* interrupts, known by their events */
	REPLAY_SOFTIRQ,
	REPLAY_AWAY, /* the task was not on a CPU */
	REPLAY_EVENT, /* any other one */
	REPLAY_LOST, /* events were */
	REPLAY_GROUP, /* its children were repeated, as a row */
};

enum replay_flags {
	REPLAY_OPEN = 1, /* it goes on */
	REPLAY_NO_START = 2, /* which was not recorded */
	REPLAY_NO_END = 4,
	REPLAY_NO_TIMES = 8, /* it is not known what of @times but the total */
	REPLAY_HAS_RESULT = 16,
	REPLAY_VARIES = 32, /* the bytes are those of the first; others had others */
	REPLAY_RESULT_VARIES = 64,
	REPLAY_EXACT = 128, /* only those are like it that have the same bytes and result */
	REPLAY_BEFORE = 256, /* it was over before what is to be kept */
};

struct replay_node {
	enum replay_kind kind;
	unsigned flags;
	uint32_t parent, first, last, prev, next; /* nodes; REPLAY_NONE */
	/*
	 * CALL, FUNCTION: the function, FUNC_NONE: not known; NOISE: the phase; SYSCALL: its
	 * number; IRQ, SOFTIRQ: too; AWAY: the state; EVENT: the id.
	 */
	uint32_t what;
	uint32_t cpu;
	uint16_t id; /* of the event whose bytes it has */
	uint64_t start; /* of the first; of all the times below the sum */
	uint64_t count;
	struct call_times times;
	uint64_t min, max; /* of the totals */
	uint64_t hidden; /* calls inside that are not shown */
	int64_t result; /* CALL, SYSCALL; LOST: how many, 0: not known */
	enum syscall_fate fate; /* SYSCALL; RETURNED where nothing else is known */
	uint64_t shape; /* equal for those that are alike, once it is closed */
	uint32_t at, len; /* of its bytes; the event, or SYSCALL and AWAY: text */
};

/* Zero-initialised is empty. */
struct replay_tree {
	struct replay_node *nodes;
	size_t n, cap;
	uint32_t free; /* + 1; linked by @next */
	size_t n_used;
	char *bytes;
	size_t n_bytes, cap_bytes, live_bytes;
	bool nomem; /* something is missing */
	bool full; /* something is hidden because there was too much of it */
};

/* A new last child of @parent, or one without a parent; REPLAY_NONE when there is no room. */
uint32_t replay_tree_add(struct replay_tree *tree, uint32_t parent, enum replay_kind kind,
			 uint32_t what, uint64_t start);
/* Gives the node bytes, which are copied; does nothing when there is no room. */
void replay_tree_set_bytes(struct replay_tree *tree, uint32_t node, const void *bytes, size_t len);
const char *replay_tree_bytes(const struct replay_tree *tree, const struct replay_node *node);
/* The node is over: its times are set. It may become a part of a sibling, and be gone. */
void replay_tree_close(struct replay_tree *tree, uint32_t node, bool collapse);
/* Makes the node, with all below, the last child of @parent. */
void replay_tree_move(struct replay_tree *tree, uint32_t node, uint32_t parent);
/* Takes the node and all below out of the tree. */
void replay_tree_remove(struct replay_tree *tree, uint32_t node);
void replay_tree_done(struct replay_tree *tree);

#endif
