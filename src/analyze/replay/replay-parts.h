/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a replay is made of, for the files that make it up. */
#ifndef FATHOM_ANALYZE_REPLAY_REPLAY_PARTS_H
#define FATHOM_ANALYZE_REPLAY_REPLAY_PARTS_H

#include "analyze/replay/replay.h"
#include "analyze/stream/task-key.h"

enum open_kind {
	OPEN_CALL,
	OPEN_SYSCALL,
	OPEN_IRQ,
	OPEN_SOFTIRQ,
};

/* Something of a task that goes on. */
struct open {
	enum open_kind kind;
	bool is_shown; /* @node is its own; else it is the one that it is hidden in */
	bool is_hidden; /* not wanted, or too deep; what is inside is as well */
	uint32_t node; /* REPLAY_NONE: in no tree */
	unsigned level; /* of @node */
	uint64_t child; /* time of what is inside */
	uint64_t away; /* of the task when it began */
	uint32_t number; /* of the interrupt or system call */
	bool is_user; /* a function of the program; these are outermost */
};

struct replay_task {
	int64_t key; /* see task-key.h */
	uint32_t root; /* its children are the trees */
	bool is_chosen; /* since something of it is open */
	bool is_active; /* it has done something that was shown */
	bool took_pid; /* it was another's, and the execution of a program that led to that goes on */
	struct open *open; /* from the outermost */
	size_t n, cap;
	size_t users; /* of them are functions of the program */
	uint64_t away; /* not on a CPU, in all */
	uint64_t seen; /* the time of its last event */
	uint64_t gone; /* when it ended, or another one that had its pid; 0: none has */
	int32_t waking; /* whom it has just begun to wake */
	uint32_t pending; /* a system call that is over, but for a function inside; REPLAY_NONE */
	uint32_t interrupted; /* one that stays open until its fate is known; REPLAY_NONE */
};

/* What is to be known about a function, found out once. */
struct func_traits {
	bool known;
	bool is_syscall; /* the function of one, which says nothing more below it */
	bool begins;
	bool is_user; /* a function of a program */
	int noise; /* its phase, or PHASE_NONE */
};

struct replay {
	struct replay_options options;
	struct calls *calls;
	struct calls_watch watch;
	struct task_states states;
	struct followed followed; /* for @states */
	struct restarts restarts;
	struct replay_tree tree;
	struct u64_map places; /* of tasks by their key, in @tasks */
	struct replay_task *tasks;
	size_t n_tasks, cap_tasks;
	struct func_traits *traits; /* by function */
	size_t n_traits, cap_traits;
	const struct decoded_event *now; /* what is being fed */
	uint32_t last; /* the task whose trees are held; REPLAY_NONE */
	struct strbuf text;
	bool no_irq_ends, no_softirq_ends; /* are recorded, only beginnings */
	bool nomem;
};

/* replay-names.c */
const struct func_traits *replay_traits(struct replay *replay, uint32_t func);
/* replay-open.c */
/* The place of the task in the list; REPLAY_NONE without room. May move the list. */
uint32_t replay_task(struct replay *replay, int64_t key);
int32_t replay_pid(const struct replay_task *task);
/* Hands out the trees of a task that are over, but for the last @keep. */
void replay_hand_out(struct replay *replay, struct replay_task *task, size_t keep);
/* Is what begins now the one that alone is wanted? */
bool replay_is_only(const struct replay *replay, const struct replay_task *task);
/*
 * The node that something new is put in, and its level; REPLAY_NONE: in none. @begins: a tree
 * may begin with it.
 */
uint32_t replay_place(struct replay *replay, struct replay_task *task, bool begins,
		      unsigned *ret_level);
/* A new node in @in, which may be REPLAY_NONE; so may be the result. */
uint32_t replay_add(struct replay *replay, uint32_t in, enum replay_kind kind, uint32_t what,
		    uint64_t start);
/* The node, if it is one, gets the bytes of the event. */
void replay_keep_event(struct replay *replay, uint32_t node);
/* Opens something; @node is REPLAY_NONE where it is not shown. NULL without memory. */
struct open *replay_push(struct replay *replay, uint32_t at, enum open_kind kind, uint32_t node,
			 unsigned level);
/* What is to be known of something that is opened inside of @in, which may be NULL. */
struct open replay_open_in(const struct open *in, enum open_kind kind, uint32_t node,
			   unsigned level);
/* The innermost thing of the task is over. */
void replay_pop(struct replay *replay, uint32_t at);
/* The two tasks have exchanged their pids: what is open goes on with the other one. */
void replay_exchange(struct replay *replay, uint32_t a, uint32_t b);
/* All that was inside of the last system call is over, too. */
void replay_close_pending(struct replay *replay, uint32_t at);
/* It is known what became of a system call that was interrupted: it is over once all inside is. */
void replay_close_held(struct replay *replay, uint32_t at, uint32_t node);
/* A leaf in the tree of the task, to be closed then; REPLAY_NONE when it is not wanted. */
uint32_t replay_add_leaf(struct replay *replay, uint32_t at, enum replay_kind kind, uint32_t what,
			 uint64_t start);
void replay_close_leaf(struct replay *replay, uint32_t at, uint32_t node);

#endif
