/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tasks did, in chronological order: system calls, functions, interrupts, waits and wakers,
 * other events. Passes on a tree for each outermost item of a task, once it and any repetitions
 * have ended.
 *
 * Uses memory for open calls, for one tree per active task, and for functions, but not for the
 * length of the trace. If it is exhausted, replay_finish() fails. For the accuracy of calls, see
 * calls.h. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_REPLAY_REPLAY_H
#define FATHOM_ANALYZE_REPLAY_REPLAY_H

#include "analyze/stream/clip.h"
#include "analyze/replay/replay-tree.h"
#include "analyze/tasks/task-states.h"

struct func;
struct instance;
struct kallsyms;
struct phases;
struct replay;
struct strbuf;

struct replay_options {
	const struct kallsyms *kallsyms; /* must outlive the replay; NULL: no names */
	const struct tasks *tasks; /* likewise */
	/* Read in replay_new(), for the recorded tasks; NULL: all were recorded. */
	const struct fathom_trace *trace;
	const struct phases *phases; /* must outlive the replay; identifies noise; NULL: none */
	unsigned depth; /* maximum number of levels */
	uint64_t min; /* shorter calls are dropped */
	/*
	 * Items completely outside it are dropped; others are complete, except for nested items
	 * outside. All events must be fed anyway.
	 */
	struct clip clip;
	bool no_events; /* only calls, interrupts and waits */
	bool no_collapse;
	bool each; /* don't merge repeated trees; parts of a tree are merged */
	/*
	 * Returns whether to begin a tree with this call, wherever it is. NULL: trees begin with
	 * outermost calls.
	 */
	bool (*begins)(const void *data, const char *name, bool is_syscall);
	const void *begins_data;
	const struct instance *only; /* the only tree wanted; NULL: all */
	bool idle; /* include what happens on idle CPUs */
	/* Returns whether the task is wanted. NULL: all but idle tasks, see @idle. */
	bool (*has_task)(const void *data, int32_t pid, const char *name);
	const void *has_task_data;
	/* Appends the current system call of the task, with arguments. May be NULL. */
	void (*put_call)(void *data, int32_t pid, struct strbuf *buf);
	void *put_call_data;
	/* Appends the cause of the wait and the waker. May be NULL. */
	void (*put_wait)(struct strbuf *buf, const struct task_states *states,
			 const struct task_span *span);
	/* Takes a tree, which is valid until this returns. */
	void (*take)(void *data, const struct replay *replay, int32_t pid, uint32_t node);
	void *take_data;
};

/* Copies the options. Returns 0 or -ENOMEM. */
int replay_new(const struct replay_options *options, struct replay **ret_replay);
void replay_free(struct replay *replay);

/* Call for every event, in chronological order. */
void replay_feed(struct replay *replay, const struct decoded_event *decoded);
/* Passes on what is open. No events may follow. Returns 0, or -ENOMEM if anything is missing. */
int replay_finish(struct replay *replay);

const struct replay_tree *replay_tree(const struct replay *replay);
const struct replay_options *replay_options(const struct replay *replay);
/* Returns the last known name of the task, or "". Valid until the next replay_feed(). */
const char *replay_task_name(const struct replay *replay, int32_t pid);
/*
 * Return NULL if unknown. A function is valid until the next replay_feed(), a name until
 * replay_free().
 */
const struct func *replay_func(const struct replay *replay, uint32_t func);
const char *replay_syscall_name(const struct replay *replay, uint32_t number);

#endif
