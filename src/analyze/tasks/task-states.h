/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns scheduler events into spans: a task, a state, a start and an end. Other analyses consume
 * the spans.
 *
 * Only recorded events count. A span whose start was not recorded is marked as cut; one during
 * which events were lost, or which other events contradict, as doubtful. Neither has a duration. A
 * span that is open when the trace ends is cut there, and one that began before the window is
 * clipped: its visible part counts, but its full duration is unknown. So the times of parts of a
 * window add up to that of the whole. Losses make the span of a running task doubtful only if they
 * are on its CPU; spans of other tasks, on any CPU, because they may have run anywhere. (A loss
 * that is reported only after the task was seen elsewhere goes undetected.)
 *
 * A recording can be limited to some tasks, and never contains the tasks of the recorder. It has
 * switches of other tasks only next to recorded ones, so the states of other tasks are unknown, and
 * they get no spans; nor do idle CPUs in a limited recording, because others may have run there.
 *
 * A thread that executes a program takes over the pid of the first thread of its process, and
 * counts as a different task from then on.
 *
 * If the same event is in several buffers, the buffer in which its kind was first seen counts. Uses
 * memory per task; if it is exhausted, @nomem is set, and spans are missing. Times are in ns. Not
 * thread-safe.
 */
#ifndef FATHOM_ANALYZE_TASKS_TASK_STATES_H
#define FATHOM_ANALYZE_TASKS_TASK_STATES_H

#include "analyze/stream/decoded-event.h"
#include "analyze/stream/syscall-names.h"
#include "base/arena.h"
#include "base/u64-map.h"
#include "read/context/followed.h"
#include "read/context/tasks.h"

#define TASK_NONE	UINT32_MAX /* the idle task, where tasks are numbered */
#define TASK_NAME_SIZE	17
#define SYSCALL_NONE	(-1) /* in none of the recorded system calls */
#define SYSCALL_UNKNOWN (-2)

enum span_quality {
	SPAN_WHOLE,
	SPAN_CLIPPED, /* began before struct task_states.from, which is its start */
	SPAN_CUT, /* began before the trace, or continues after it */
	SPAN_DOUBTFUL, /* events were lost or contradictory */
};

enum waker_kind {
	WAKER_UNKNOWN,
	WAKER_TASK,
	WAKER_IDLE, /* the idle task of a CPU */
	WAKER_HARDIRQ,
	WAKER_VECTOR, /* a per-CPU interrupt, such as the local timer */
	WAKER_SOFTIRQ,
};

#define WAKER_NO_NUMBER UINT32_MAX

struct waker {
	enum waker_kind kind;
	uint32_t number; /* of the task, IRQ, vector or softirq; WAKER_NO_NUMBER if unknown */
};

struct task_span {
	uint32_t task;
	enum task_state state;
	enum span_quality quality;
	uint64_t start, end; /* if cut and not @at_end, only the end is valid */
	uint32_t cpu; /* current or last one; RUNNABLE: the one on which it runs next */
	bool unwanted; /* do not count the event that ends it */
	bool at_end; /* cut by the end of the trace or window */

	/* RUNNING: */
	enum task_state next; /* state in which it left the CPU; UNKNOWN if not recorded */
	bool migrated; /* it was on another CPU before */
	/* RUNNABLE: */
	bool was_preempted; /* not woken */
	bool undecided; /* it may also have been running since before its wakeup */
	/* Waiting states: */
	bool was_ready; /* it was reported as runnable when it left the CPU */
	bool with_queue; /* no wakeup was recorded: includes the time it was runnable */
	struct waker waker;
	int64_t syscall; /* number of the call it was in, SYSCALL_NONE or SYSCALL_UNKNOWN */
};

struct task_states_task {
	int32_t pid;
	uint32_t parent; /* TASK_NONE if unknown */
	char name[TASK_NAME_SIZE]; /* last known one; "" if none */
	bool is_new; /* forked, but not woken yet */
	bool is_followed; /* all its events were recorded */
	bool exits; /* its exit event was seen */
	bool goes; /* it was seen to leave a CPU */
	bool has_vanished, has_appeared; /* it left or entered a CPU without an event */
	bool is_recorded; /* it is recorded even if the recording is limited to some tasks */
	enum task_state state;
	uint64_t since; /* unless UNKNOWN or RUNNING */
	uint32_t cpu; /* last one; CPU_NONE if unknown */
	bool migrated, was_preempted;
	bool has_early_waker; /* it was woken while it was still running */
	bool may_sleep; /* RUNNABLE: left voluntarily; a wakeup would show that it sleeps */
	bool was_ready; /* SLEEPING: as shown by such a wakeup */
	bool may_run; /* RUNNABLE: it was woken from an unknown state */
	struct waker early_waker;
	int64_t syscall;
	/* Number of gaps when it was last seen: on its CPU, and on all. */
	uint64_t cpu_gaps, gaps;
};

struct task_states;
typedef void task_span_taker(void *data, const struct task_states *states,
			     const struct task_span *span);

/*
 * Initialize to zero, except for the first members, up to @followed, which are set by the caller
 * and must outlive it. A span is valid until @take returns.
 */
struct task_states {
	task_span_taker *take;
	void *data;
	const struct tasks *known; /* names of tasks that no event names; may be NULL */
	uint64_t from; /* spans are clipped here, and dropped if they end before */
	const struct followed *followed; /* tasks that were recorded; NULL or empty: all */

	struct u64_map followed_pids; /* pid -> index in @is_followed */
	bool *is_followed; /* now */
	size_t n_followed, cap_followed;
	struct u64_map pids; /* pid -> index in @current */
	uint32_t *current; /* number of the task that has the pid now */
	size_t n_current, cap_current;
	struct task_states_task **tasks;
	size_t n_tasks, cap_tasks;
	struct task_states_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct syscall_names names;
	struct arena arena;
	uint64_t gaps; /* number of gaps */
	uint64_t missing; /* switches that are missing although no events were lost */
	bool idle_vanished; /* an idle task left its CPU without an event */
	uint64_t last; /* time of the last event */
	uint32_t buffers[32]; /* by kind: the buffer that counts, + 1 */
	bool has_syscalls, has_wakes; /* such events were seen */
	bool is_late; /* late events have begun */
	size_t n_undecided; /* late events: tasks that may yet turn out to have waited for a CPU */
	bool nomem; /* spans are missing */
};

/*
 * Call for every event, in chronological order. Once @is_late is set and @n_undecided is 0, further
 * events change nothing.
 */
void task_states_feed(struct task_states *states, const struct decoded_event *decoded);
/* The kinds that end spans, for struct feed. */
#define TASK_STATES_FILTERED                                                        \
	(1ULL << DECODED_SWITCH | 1ULL << DECODED_WAKING | 1ULL << DECODED_WAKEUP | \
	 1ULL << DECODED_WAKEUP_NEW)
/* Passes on open spans, as cut. Returns 0, or -ENOMEM if spans are missing. */
int task_states_finish(struct task_states *states);
/* The same at @to, which is not before the last event. */
int task_states_finish_at(struct task_states *states, uint64_t to);
void task_states_done(struct task_states *states);

/*
 * Call after all events. If the missing switches indicate a recording limited to some tasks, adds
 * their pids to @followed, which must be empty: tasks that made system calls, and tasks next to an
 * idle one, because idle tasks are never recorded for their own sake. Adds none if switches of one
 * of these tasks are missing, in which case the recording is limited in some other way, or if only
 * switches away from some tasks are missing, which are the excluded ones. Returns 0 or -ENOMEM; the
 * caller frees the pids in either case.
 */
int task_states_find_followed(const struct task_states *states, struct followed *followed);

/* Returns the number of the task that has the pid now, or TASK_NONE. */
uint32_t task_states_find(const struct task_states *states, int32_t pid);
/*
 * Returns the current state of the task, as the span that would be passed on if it ended at @time;
 * never SPAN_CUT. Returns false if the state is unknown or the task is dead.
 */
bool task_states_now(const struct task_states *states, uint32_t task, uint64_t time,
		     struct task_span *ret);
/* Returns the waker of a wakeup event. Call before the event is fed. */
struct waker task_states_waker(struct task_states *states, const struct decoded_event *decoded);

/* Returns whether the recording is limited to some tasks. */
static inline bool task_states_is_limited(const struct task_states *states)
{
	return states->followed && followed_is_limited(states->followed);
}
/* Returns the name of a system call, or NULL if unknown. Valid until task_states_done(). */
const char *task_states_syscall(const struct task_states *states, int64_t number);
/*
 * Returns whether the start and end are valid. Unless the span is whole, it may have lasted longer.
 */
static inline bool task_span_has_time(const struct task_span *span)
{
	return span->quality == SPAN_WHOLE || span->quality == SPAN_CLIPPED ||
	       (span->quality == SPAN_CUT && span->at_end && !span->undecided);
}
/* Returns whether the task waits for something other than a CPU. */
bool task_state_waits(enum task_state state);

#endif
