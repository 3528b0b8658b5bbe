/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tasks did, in the order of time: system calls, the functions inside them, interrupts that
 * came in, waits and who ended them, other events. Handed out as trees, one for each outermost
 * thing of a task, when it and perhaps some that repeat it are over.
 *
 * Memory is that of open calls, of one tree for each task that has something open, and of the
 * functions; never that of the trace. Calls are those of calls.h, with the same honesty.
 */
#ifndef FATHOM_ANALYZE_REPLAY_REPLAY_H
#define FATHOM_ANALYZE_REPLAY_REPLAY_H

#include "analyze/calls/calls.h"
#include "analyze/stream/clip.h"
#include "analyze/calls/phases.h"
#include "analyze/replay/replay-tree.h"
#include "analyze/tasks/task-states.h"

struct replay;

struct replay_options {
	const struct kallsyms *kallsyms; /* must outlive the replay; NULL: no names */
	const struct tasks *tasks; /* the same */
	const struct fathom_trace *trace; /* says which tasks were recorded; NULL: all were */
	const struct phases *phases; /* says which functions are noise; NULL: none is */
	unsigned depth; /* levels that are kept */
	uint64_t min; /* calls that took less are not kept */
	/* What is outside of it is not kept, though fed; what reaches into it is whole, but for what is in it. */
	struct clip clip;
	bool no_events; /* only calls, interrupts and waits */
	bool no_collapse;
	bool each; /* trees stay apart that repeat one another; what is in them does not */
	/* Is this a call to begin a tree with, wherever it is? NULL: the outermost ones are. */
	bool (*begins)(const void *data, const char *name, bool is_syscall);
	const void *begins_data;
	const struct instance *only; /* the one tree that is wanted; NULL: all */
	bool idle; /* with what happens on CPUs that have nothing to do */
	/* Is the task wanted? NULL: all are, and idle ones only as above. */
	bool (*has_task)(const void *data, int32_t pid, const char *name);
	const void *has_task_data;
	/* Adds the system call that the task is in, with its arguments; NULL: nobody can. */
	void (*put_call)(void *data, int32_t pid, struct strbuf *buf);
	void *put_call_data;
	/* Adds who ended the wait, and what it was; NULL: nobody can. */
	void (*put_wait)(struct strbuf *buf, const struct task_states *states,
			 const struct task_span *span);
	/* Takes a tree, which is gone afterwards. */
	void (*take)(void *data, const struct replay *replay, int32_t pid, uint32_t node);
	void *take_data;
};

/* The options are copied. 0 or -ENOMEM. */
int replay_new(const struct replay_options *options, struct replay **ret_replay);
void replay_free(struct replay *replay);

/* To be fed with all events, in order of time. */
void replay_feed(struct replay *replay, const struct decoded_event *decoded);
/* Hands out what is open. -ENOMEM when something is missing, else 0. */
int replay_finish(struct replay *replay);

const struct replay_tree *replay_tree(const struct replay *replay);
const struct replay_options *replay_options(const struct replay *replay);
/* The last name of the task that was seen; "" if none was. */
const char *replay_task_name(const struct replay *replay, int32_t pid);
/* NULL: it is not known. */
const struct func *replay_func(const struct replay *replay, uint32_t func);
const char *replay_syscall_name(const struct replay *replay, uint32_t number);

#endif
