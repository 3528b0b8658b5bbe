/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of struct replay, for the files of this folder. Indexes of tasks stay valid, pointers
 * to them until one is added.
 */
#ifndef FATHOM_ANALYZE_REPLAY_REPLAY_PARTS_H
#define FATHOM_ANALYZE_REPLAY_REPLAY_PARTS_H

#include "analyze/calls/calls.h"
#include "analyze/replay/replay.h"

enum open_kind {
	OPEN_CALL,
	OPEN_SYSCALL,
	OPEN_IRQ,
	OPEN_SOFTIRQ,
};

/* An open item of a task. */
struct open {
	enum open_kind kind;
	bool is_shown; /* @node is that of the item; otherwise one around it */
	bool is_hidden; /* not wanted or too deep, including its children */
	uint32_t node; /* REPLAY_NONE: in no tree */
	unsigned level; /* of @node */
	uint64_t child; /* time of nested items */
	uint64_t away; /* that of the task when it began */
	uint32_t number; /* of the interrupt or system call */
	bool is_user; /* a user function; these are outermost */
};

struct replay_task {
	int64_t key; /* see task-key.h */
	uint32_t root; /* the parent of its trees */
	bool is_chosen; /* wanted; valid while something is open */
	bool is_active; /* some of its activity was shown */
	bool took_pid; /* it took over its pid in an execve() that has not ended */
	struct open *open; /* outermost first */
	size_t n, cap;
	size_t users; /* how many of them are user functions */
	uint64_t away; /* total time off the CPU */
	uint64_t seen; /* time of its last event */
	uint64_t gone; /* when it, or the previous task with its pid, ended; 0: not seen */
	int32_t waking; /* the task that it has begun to wake */
	/* A system call that has ended, except for a function inside it, or REPLAY_NONE. */
	uint32_t pending;
	uint32_t interrupted; /* an interrupted call, open until its fate is known; REPLAY_NONE */
};

/* Properties of a function, determined once. */
struct func_traits {
	bool known;
	bool is_syscall; /* implements a system call, and carries no other information */
	bool begins;
	bool is_user; /* a user function */
	int noise; /* its noise phase, or PHASE_NONE */
};

struct replay {
	struct replay_options options;
	struct calls *calls;
	struct calls_watch watch;
	struct task_states states;
	struct followed followed; /* for @states */
	struct restarts restarts;
	struct replay_tree tree;
	struct u64_map places; /* task_key() -> index in @tasks */
	struct replay_task *tasks;
	size_t n_tasks, cap_tasks;
	struct func_traits *traits; /* by function number */
	size_t n_traits, cap_traits;
	const struct decoded_event *now; /* the current event; NULL after the last */
	uint32_t last; /* the task whose trees are held back; REPLAY_NONE */
	struct strbuf text;
	bool no_irq_ends, no_softirq_ends; /* only entries are recorded */
	bool nomem;
};

/* replay-names.c: returns the properties of a function; valid until the next call. */
const struct func_traits *replay_traits(struct replay *replay, uint32_t func);
/* replay-open.c: */
/* Returns the index of the task, adding it if necessary, or REPLAY_NONE if there is no room. */
uint32_t replay_task(struct replay *replay, int64_t key);
int32_t replay_pid(const struct replay_task *task);
/* Passes on the completed trees of a task, except for the last @keep. */
void replay_hand_out(struct replay *replay, struct replay_task *task, size_t keep);
/* Returns whether the item that begins now is the only wanted tree. */
bool replay_is_only(const struct replay *replay, const struct replay_task *task);
/*
 * Returns the parent node for a new item, and its level, or REPLAY_NONE. @begins: a tree may begin
 * with the item.
 */
uint32_t replay_place(struct replay *replay, struct replay_task *task, bool begins,
		      unsigned *ret_level);
/*
 * Adds a node to @in, which may be REPLAY_NONE. Returns REPLAY_NONE if it is not wanted, or if
 * there is no room.
 */
uint32_t replay_add(struct replay *replay, uint32_t in, enum replay_kind kind, uint32_t what,
		    uint64_t start);
/* Stores the bytes of the current event in the node, unless that is REPLAY_NONE. */
void replay_keep_event(struct replay *replay, uint32_t node);
/* Opens an item; @node is REPLAY_NONE if it is not shown. Returns NULL if memory is exhausted. */
struct open *replay_push(struct replay *replay, uint32_t at, enum open_kind kind, uint32_t node,
			 unsigned level);
/* Initializes an item that is opened inside @in, which may be NULL. */
struct open replay_open_in(const struct open *in, enum open_kind kind, uint32_t node,
			   unsigned level);
/* Ends the innermost item of the task. */
void replay_pop(struct replay *replay, uint32_t at);
/* The two tasks have exchanged pids: their open items are exchanged. */
void replay_exchange(struct replay *replay, uint32_t a, uint32_t b);
/* Closes the last system call, now that everything inside it has ended. */
void replay_close_pending(struct replay *replay, uint32_t at);
/* Resolves an interrupted system call: it ends when everything inside it has ended. */
void replay_close_held(struct replay *replay, uint32_t at, uint32_t node);
/*
 * Adds a node without children, to be closed with replay_close_leaf(). Returns REPLAY_NONE if it is
 * not wanted.
 */
uint32_t replay_add_leaf(struct replay *replay, uint32_t at, enum replay_kind kind, uint32_t what,
			 uint64_t start);
void replay_close_leaf(struct replay *replay, uint32_t at, uint32_t node);

#endif
