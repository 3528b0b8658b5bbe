/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls that took long, and where in the kernel the time went: the way down to the deepest
 * function that explains most of it, and what the task waited for meanwhile.
 *
 * A taker of the trees of replay.h. Calls of the same text, result and way are one that counts. At
 * most SLOW_CALLS_MAX are kept, those that took longest.
 */
#ifndef FATHOM_ANALYZE_REPLAY_SLOW_CALLS_H
#define FATHOM_ANALYZE_REPLAY_SLOW_CALLS_H

#include "analyze/replay/replay.h"
#include "analyze/stream/user-stacks.h"

#define SLOW_CALLS_MAX 256
#define SLOW_STEPS_MAX 128
#define SLOW_WAITS_MAX 4 /* of a call; the longest */

/* A function on the way down, with all that it called. */
struct slow_step {
	char *name;
	uint64_t calls;
	uint64_t total, asleep; /* of all of them */
};

/* Waits of one kind. */
struct slow_wait {
	enum task_state state; /* RUNNABLE: for a CPU */
	char *text; /* what it was and who ended it, as the replay has it */
	bool varies; /* others ended some of them */
	bool goes_on; /* when the recording ended */
	char *in; /* the function that waited; NULL: not known, or for a CPU */
	uint64_t count, total;
};

struct slow_call {
	char *text; /* the call, as in C, without its result */
	char *name; /* NULL: only its number is known */
	int32_t pid;
	char task[TASK_NAME_SIZE];
	bool goes_on; /* it had not ended when the recording did; there is no result */
	enum syscall_fate fate; /* RETURNED: with @result, unless it goes on */
	int64_t result;
	uint64_t start; /* of the first */
	uint64_t count, total, min, max;
	uint64_t asleep; /* waiting for something */
	uint64_t runnable; /* waiting for a CPU */
	uint64_t stolen; /* by interrupts */
	struct user_stack stack; /* of the program, of the first */
	struct slow_step *steps; /* from the outermost; the last one explains most of the time */
	size_t n_steps; /* 0: no function does */
	struct slow_wait waits[SLOW_WAITS_MAX]; /* the longest first */
	size_t n_waits;
};

struct slow_part;
struct slow_start;
struct slow_stack;

/* Zero-initialised with @min set is empty. */
struct slow_calls {
	uint64_t min; /* calls that took less do not count */
	uint64_t last; /* the time of the last event */
	bool at_end; /* nothing more comes: what is open goes on */
	/* Is the call of interest? @name may be NULL. NULL: all are. */
	bool (*wanted)(const void *data, const char *name, bool goes_on, int64_t result);
	const void *wanted_data;

	struct user_stacks stacks;
	struct slow_start
		*starts; /* of tasks that are in a system call, by their places in @start_pids */
	size_t n_starts, cap_starts;
	struct u64_map start_pids;
	struct slow_stack *kept; /* of calls that took long, until their trees come */
	size_t n_kept, cap_kept;
	struct slow_call *found; /* the longest in all first, once it is finished */
	size_t n, cap;
	uint64_t n_slow; /* calls */
	struct slow_part *parts, *gathered; /* room */
	size_t cap_parts, cap_gathered;
	bool nomem;
};

/* To be fed with all events, each before the replay is. */
void slow_calls_feed(struct slow_calls *calls, const struct decoded_event *decoded);
/* For struct replay_options; @data is the struct slow_calls. */
void slow_calls_take(void *data, const struct replay *replay, int32_t pid, uint32_t node);
/* Puts them into order. -ENOMEM when something is missing. */
int slow_calls_finish(struct slow_calls *calls);
void slow_calls_done(struct slow_calls *calls);

/* What is left of the time: the task was on a CPU, and worked. */
uint64_t slow_call_running(const struct slow_call *call);

#endif
