/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tasks are doing: the events of the scheduler, which are points in time, become spans,
 * which have a task, a state, a beginning and an end. Other analyses take them and add them up.
 *
 * The account is honest. A span whose start was not recorded is marked as cut; one during which
 * events were lost, or which others contradict, as doubtful: neither has a time. One that is not
 * over when the trace ends is cut there, and one that began before the window is clipped: the
 * part that was seen has a time, but how long it lasted is not known. So the times of the parts of
 * a window add up to those of the whole. What a
 * task does on a CPU can be missed on this one only; one that is off may meanwhile have run
 * anywhere, so there events that were lost on any CPU count. (What is not found out: a task that
 * was for a while on a CPU whose loss shows only after the task was seen again elsewhere.)
 *
 * A recording can be limited to some tasks, and leaves out the recorder's own. Of others it has switches only when one of these went on
 * or off the CPU, so their states are not known, and no spans of them are handed out; nor are, if it is limited, those of
 * idle CPUs, which may have run others.
 *
 * A thread that executes a program gets the pid of the first thread of its process. What it does from then on is of another
 * task here, which has that pid.
 *
 * An event that is in several buffers is taken from the one where its kind was seen first.
 * Memory is that of the tasks.
 */
#ifndef FATHOM_ANALYZE_TASKS_TASK_STATES_H
#define FATHOM_ANALYZE_TASKS_TASK_STATES_H

#include "analyze/stream/decoded-event.h"
#include "analyze/stream/syscall-names.h"
#include "base/arena.h"
#include "base/u64-map.h"
#include "read/context/followed.h"
#include "read/context/tasks.h"

#define TASK_NONE	UINT32_MAX /* the idle task of a CPU, where tasks are named by number */
#define TASK_NAME_SIZE	17
#define SYSCALL_NONE	(-1) /* the task is in none of the system calls that were recorded */
#define SYSCALL_UNKNOWN (-2)

enum span_quality {
	SPAN_WHOLE,
	SPAN_CLIPPED, /* began before @from of the states, and has that as its start */
	SPAN_CUT, /* began before the trace, or ends after it */
	SPAN_DOUBTFUL, /* events were lost */
};

enum waker_kind {
	WAKER_UNKNOWN,
	WAKER_TASK,
	WAKER_IDLE, /* a CPU's idle task */
	WAKER_HARDIRQ,
	WAKER_VECTOR, /* an interrupt of the CPU itself, a timer's for instance */
	WAKER_SOFTIRQ,
};

#define WAKER_NO_NUMBER UINT32_MAX

struct waker {
	enum waker_kind kind;
	uint32_t number; /* of the task, interrupt, vector, softirq; WAKER_NO_NUMBER: not known */
};

struct task_span {
	uint32_t task;
	enum task_state state;
	enum span_quality quality;
	uint64_t start, end; /* when it is cut and not @at_end, only the end is known */
	uint32_t cpu; /* where it is or was; RUNNABLE: where it runs then */
	bool unwanted; /* the event that ends it is not to be counted */
	bool at_end; /* cut by the end of the trace, or of the window; that is its end */

	/* RUNNING: */
	enum task_state next; /* what it went off for; UNKNOWN: that was not seen */
	bool migrated; /* it was on another CPU before */
	/* RUNNABLE: */
	bool was_preempted; /* it was not woken */
	bool undecided; /* it may as well have been running when it was woken, and since */
	/* Those that wait for something: */
	bool was_ready; /* it went off its CPU as one that can run, as far as could be seen then */
	bool with_queue; /* nobody was seen to wake it: its wait for a CPU is a part of this */
	struct waker waker;
	int64_t syscall; /* that it was in, by number; or SYSCALL_NONE, SYSCALL_UNKNOWN */
};

struct task_states_task {
	int32_t pid;
	uint32_t parent; /* TASK_NONE: not known */
	char name[TASK_NAME_SIZE]; /* the last one that was seen; "" if none was */
	bool is_new; /* was forked, and not woken yet */
	bool is_followed; /* all that it did was recorded */
	bool exits; /* the event of its exit was seen */
	bool goes; /* it was seen to go off a CPU */
	bool has_vanished,
		has_appeared; /* it went off a CPU, or came on one, and no event says so */
	bool is_recorded; /* if the recording is limited to some tasks, it is one of them */
	enum task_state state;
	uint64_t since; /* if it is neither UNKNOWN nor RUNNING */
	uint32_t cpu; /* where it was last; CPU_NONE: not known */
	bool migrated, was_preempted;
	bool has_early_waker; /* it was still running when somebody woke it */
	bool may_sleep; /* RUNNABLE: it did not have to go; a wake-up would tell that it sleeps */
	bool was_ready; /* SLEEPING: that was the case */
	bool may_run; /* RUNNABLE: it was woken, and nobody knows what it was doing */
	struct waker early_waker;
	int64_t syscall;
	/* How often events had been lost when it was seen last, on its CPU and on all. */
	uint64_t cpu_gaps, gaps;
};

struct task_states;
typedef void task_span_taker(void *data, const struct task_states *states,
			     const struct task_span *span);

/* Zero-initialised, with @take, @data and perhaps @known set, is empty. */
struct task_states {
	task_span_taker *take;
	void *data;
	const struct tasks *known; /* names for those that no event names; may be NULL */
	uint64_t from; /* spans are clipped there; those that ended before are not handed out */
	const struct followed *followed; /* which tasks were recorded; NULL, or empty: all */

	struct u64_map followed_pids; /* places in @is_followed */
	bool *is_followed; /* now */
	size_t n_followed, cap_followed;
	struct u64_map pids; /* places in @current */
	uint32_t *current; /* the task that has the pid now */
	size_t n_current, cap_current;
	struct task_states_task **tasks;
	size_t n_tasks, cap_tasks;
	struct task_states_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct syscall_names names;
	struct arena arena;
	uint64_t gaps; /* how often events were lost */
	uint64_t missing; /* turns on CPUs that are not in the recording, though nothing was lost */
	bool idle_vanished; /* an idle task has, see struct task_states_task */
	uint64_t last; /* time of the last event */
	uint32_t buffers[32]; /* by kind of event: which one tells, + 1 */
	bool has_syscalls, has_wakes; /* such events were seen */
	bool is_late; /* late events come */
	size_t n_undecided; /* then: tasks of which a late one may say whether they waited for a CPU */
	bool nomem; /* something is missing */
};

/*
 * To be fed with all events, in order of time. When @is_late and nothing is undecided, no more
 * of them are needed.
 */
void task_states_feed(struct task_states *states, const struct decoded_event *decoded);
/* The kinds that end spans, for struct feed. */
#define TASK_STATES_FILTERED                                                        \
	(1ULL << DECODED_SWITCH | 1ULL << DECODED_WAKING | 1ULL << DECODED_WAKEUP | \
	 1ULL << DECODED_WAKEUP_NEW)
/* Hands out what is open, as cut. -ENOMEM when something is missing, else 0. */
int task_states_finish(struct task_states *states);
/* The same at @to, which is not before the last event. */
int task_states_finish_at(struct task_states *states, uint64_t to);
void task_states_done(struct task_states *states);

/*
 * After all was fed: if switches are missing as in a recording that is limited to some tasks, adds the pids of these to
 * @followed, which is empty: those who made system calls, and those who came after an idle task or before one, as that is
 * never recorded for its own sake. It stays empty if one of them lacks switches, so that it is not tasks that the recording
 * is limited to, or if only switches away from some tasks are missing, which are left out. 0 or -ENOMEM.
 */
int task_states_find_followed(const struct task_states *states, struct followed *followed);

/* The task that has the pid now; TASK_NONE: none that was seen. */
uint32_t task_states_find(const struct task_states *states, int32_t pid);
/*
 * What the task is doing, as the span that would be handed out if it ended now; its quality is
 * never SPAN_CUT. False when that is not known, or it is dead.
 */
bool task_states_now(const struct task_states *states, uint32_t task, uint64_t time,
		     struct task_span *ret);
/* Who does this wakeup. To be asked before that is fed. */
struct waker task_states_waker(struct task_states *states, const struct decoded_event *decoded);

/* Is the recording limited to some tasks? */
static inline bool task_states_is_limited(const struct task_states *states)
{
	return states->followed && followed_is_limited(states->followed);
}
/* NULL when only the number is known. */
const char *task_states_syscall(const struct task_states *states, int64_t number);
/* Is it known when the span was? If it is not whole, that is not how long it lasted. */
static inline bool task_span_has_time(const struct task_span *span)
{
	return span->quality == SPAN_WHOLE || span->quality == SPAN_CLIPPED ||
	       (span->quality == SPAN_CUT && span->at_end && !span->undecided);
}
/* Does the task wait for something in this state? For a CPU it does not. */
bool task_state_waits(enum task_state state);

#endif
