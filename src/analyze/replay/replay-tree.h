/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of a replay: items in chronological order, nested. Siblings are in chronological order.
 * If a sibling repeats the one before it, or a few repeat the few before them, they are merged and
 * counted, so that a loop takes the memory of one iteration.
 *
 * Two nodes are equal if they and their descendants have the same meaning, regardless of durations
 * and numbers of repetitions inside.
 *
 * Node numbers are reused. The number of nodes and bytes is bounded: see @full. If memory is
 * exhausted, @nomem is set. Pointers to nodes and bytes are valid until something is added. Times
 * are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_REPLAY_REPLAY_TREE_H
#define FATHOM_ANALYZE_REPLAY_REPLAY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/calls/call-tree.h"
#include "analyze/syscalls/syscall-fate.h"

#define REPLAY_NONE UINT32_MAX
/* Maximum number of nodes and bytes; further nodes are hidden, or have no text. */
#define REPLAY_NODES_MAX 200000
#define REPLAY_BYTES_MAX (16U << 20)
/* Maximum number of siblings that are recognized as a repeated row. */
#define REPLAY_ROW_MAX 8

enum replay_kind {
	REPLAY_CALL, /* of a function */
	REPLAY_NOISE, /* noise calls of one phase */
	REPLAY_FUNCTION, /* a call whose exit is not recorded */
	REPLAY_SYSCALL,
	REPLAY_IRQ, /* interrupts, by their events */
	REPLAY_SOFTIRQ,
	REPLAY_AWAY, /* the task was off the CPU */
	REPLAY_EVENT, /* any other event */
	REPLAY_LOST, /* lost events */
	REPLAY_GROUP, /* its children are a row that repeats */
};

enum replay_flags {
	REPLAY_OPEN = 1, /* has not ended */
	REPLAY_NO_START = 2, /* the start was not recorded */
	REPLAY_NO_END = 4,
	REPLAY_NO_TIMES = 8, /* only the total of @times is known */
	REPLAY_HAS_RESULT = 16,
	REPLAY_VARIES = 32, /* the bytes are those of the first of several */
	REPLAY_RESULT_VARIES = 64,
	REPLAY_EXACT = 128, /* equal only to nodes with the same bytes and result */
	REPLAY_BEFORE = 256, /* it ended before the part to keep */
};

struct replay_node {
	enum replay_kind kind;
	unsigned flags;
	uint32_t parent, first, last, prev, next; /* nodes or REPLAY_NONE */
	/*
	 * CALL, FUNCTION: the function, or FUNC_NONE; NOISE: the phase; SYSCALL, IRQ, SOFTIRQ: the
	 * number; AWAY: the state; EVENT: the event ID; GROUP: the length of the row.
	 */
	uint32_t what;
	uint32_t cpu;
	uint16_t id; /* event ID of the bytes */
	uint64_t start; /* of the first; times are sums over all */
	uint64_t count;
	struct call_times times;
	uint64_t min, max; /* of the totals */
	uint64_t hidden; /* number of nested calls that are not shown */
	int64_t result; /* CALL, SYSCALL; LOST: number of events, 0 if unknown */
	enum syscall_fate fate; /* SYSCALL: RETURNED unless known otherwise */
	uint64_t shape; /* equal for equal nodes, once closed */
	uint32_t at, len; /* its bytes: the event; SYSCALL, AWAY: text */
};

/* Empty when zero-initialized. */
struct replay_tree {
	struct replay_node *nodes;
	size_t n, cap;
	uint32_t free; /* + 1; linked by @next */
	size_t n_used;
	char *bytes;
	size_t n_bytes, cap_bytes, live_bytes;
	bool nomem; /* nodes or bytes are missing */
	bool full; /* nodes or bytes are missing because there were too many */
};

/*
 * Adds a last child of @parent, or a root if that is REPLAY_NONE. Returns REPLAY_NONE if there is
 * no room.
 */
uint32_t replay_tree_add(struct replay_tree *tree, uint32_t parent, enum replay_kind kind,
			 uint32_t what, uint64_t start);
/* Copies bytes to the node; does nothing if there is no room. */
void replay_tree_set_bytes(struct replay_tree *tree, uint32_t node, const void *bytes, size_t len);
const char *replay_tree_bytes(const struct replay_tree *tree, const struct replay_node *node);
/*
 * The node has ended, and its times are set. It may be merged into a sibling, and no longer exist.
 */
void replay_tree_close(struct replay_tree *tree, uint32_t node, bool collapse);
/* Makes the node, with all below, the last child of @parent. */
void replay_tree_move(struct replay_tree *tree, uint32_t node, uint32_t parent);
/* Removes the node and all below. */
void replay_tree_remove(struct replay_tree *tree, uint32_t node);
void replay_tree_done(struct replay_tree *tree);

#endif
