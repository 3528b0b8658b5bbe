/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slow system calls, and where in the kernel they spent their time: the call chain down to the
 * deepest function that accounts for most of it, and the waits of the task.
 *
 * Consumes the trees of replay.h. Calls with the same text, result and chain are merged and
 * counted. At most SLOW_CALLS_MAX, those with the most time, are kept. If memory is exhausted,
 * @nomem is set, and calls are missing. Strings are valid until slow_calls_done(). Times are in ns.
 * Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_REPLAY_SLOW_CALLS_H
#define FATHOM_ANALYZE_REPLAY_SLOW_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stream/user-stacks.h"
#include "analyze/syscalls/syscall-fate.h"
#include "analyze/tasks/task-states.h"

#define SLOW_CALLS_MAX 256
#define SLOW_STEPS_MAX 128
#define SLOW_WAITS_MAX 4 /* per call; the longest */

struct replay;

/* A function in the call chain, including its callees. */
struct slow_step {
	char *name;
	uint64_t calls;
	uint64_t total, asleep; /* over all calls */
};

/* Waits with the same cause. */
struct slow_wait {
	enum task_state state; /* RUNNABLE: for a CPU */
	char *text; /* cause and waker, as in the replay */
	bool varies; /* some had other wakers */
	bool goes_on; /* not over when the recording ended */
	char *in; /* the waiting function; NULL: unknown, or for a CPU */
	uint64_t count, total;
};

struct slow_call {
	char *text; /* the call in C notation, without its result */
	char *name; /* NULL: only the number is known */
	int32_t pid;
	char task[TASK_NAME_SIZE];
	bool goes_on; /* not over when the recording ended; without a result */
	enum syscall_fate fate; /* RETURNED: with @result, unless @goes_on */
	int64_t result;
	uint64_t start; /* entry of the first */
	uint64_t count, total, min, max;
	uint64_t asleep; /* waiting for something */
	uint64_t runnable; /* waiting for a CPU */
	uint64_t stolen; /* by interrupts */
	struct user_stack stack; /* user stack of the first */
	struct slow_step *steps; /* outermost first; the last one accounts for most of the time */
	size_t n_steps; /* 0: no function does */
	struct slow_wait waits[SLOW_WAITS_MAX]; /* longest first */
	size_t n_waits;
};

struct slow_part;
struct slow_start;
struct slow_stack;

/* Initialize to zero, except for @min. The caller may also set @wanted. */
struct slow_calls {
	uint64_t min; /* shorter calls are not counted */
	uint64_t last; /* time of the last event */
	bool at_end; /* set by the caller after the last event: open calls last until then */
	/* Returns whether the call is wanted. @name may be NULL. NULL: all are. */
	bool (*wanted)(const void *data, const char *name, bool goes_on, int64_t result);
	const void *wanted_data;

	struct user_stacks stacks;
	struct slow_start *starts; /* by index in @start_pids: current system calls */
	size_t n_starts, cap_starts;
	struct u64_map start_pids;
	struct slow_stack *kept; /* stacks of slow calls, until their trees come */
	size_t n_kept, cap_kept;
	struct slow_call *found; /* sorted by slow_calls_finish(): most time first */
	size_t n, cap;
	uint64_t n_slow; /* number of slow calls */
	struct slow_part *parts, *gathered; /* scratch space */
	size_t cap_parts, cap_gathered;
	bool nomem;
};

/* Call for every event, before feeding it to the replay. */
void slow_calls_feed(struct slow_calls *calls, const struct decoded_event *decoded);
/* For struct replay_options; @data is the struct slow_calls. */
void slow_calls_take(void *data, const struct replay *replay, int32_t pid, uint32_t node);
/* Sorts the calls. Returns 0, or -ENOMEM if calls are missing. */
int slow_calls_finish(struct slow_calls *calls);
void slow_calls_done(struct slow_calls *calls);

/* Returns the time on a CPU, without interrupts. */
uint64_t slow_call_running(const struct slow_call *call);

#endif
