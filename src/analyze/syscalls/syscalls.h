/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls by number: count, durations, and errors. Uses the events of syscalls or
 * raw_syscalls; if both are recorded, each call counts once. sched_switch shows how long tasks
 * slept in calls, and sched_waking when they became runnable.
 *
 * A call without a recorded entry or exit is still a call: its time inside the recording counts,
 * but not towards the statistics of complete calls (minimum, median, maximum).
 *
 * Uses memory per call number and task. If it is exhausted, @nomem is set. Names are valid until
 * syscalls_done(). Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALLS_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALLS_H

#include "analyze/stream/clip.h"
#include "analyze/sums/error-counts.h"
#include "analyze/stream/feed.h"
#include "analyze/stream/gaps.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/sums/slowest.h"
#include "analyze/sums/spread.h"
#include "analyze/syscalls/syscall-cost.h"
#include "analyze/tasks/task-tracking.h"
#include "analyze/tasks/time-blocks.h"
#include "base/u64-map.h"

/* The durations without the cost of tracing. */
struct syscall_untraced {
	uint64_t total, min, max;
	/* Number of calls whose duration is below the accuracy; for them, these are upper bounds. */
	uint64_t below;
	struct spread spread;
};

struct syscall_sums {
	int64_t number;
	const char *name; /* "openat"; NULL: only the number is known */
	uint64_t count; /* complete calls */
	uint64_t cut; /* calls without entry or exit: the next three, or because of lost events */
	uint64_t begun_before; /* before the recording or window */
	uint64_t open_at_end; /* still running at its end */
	uint64_t throughout; /* both */
	uint64_t cut_total; /* the part of the time of these three that is inside */
	/* Calls that do not return, such as exit_group(); not in @count or @cut. */
	uint64_t ended_in;
	uint64_t ended_total; /* time in them up to the end of the task, if known */
	/* Restarted by the kernel after a signal; in @count, which includes each restart. */
	uint64_t restarted;
	uint64_t interrupted; /* interrupted by a signal with unknown result; in @count */
	uint64_t no_exit; /* returns from signal handlers; not in @count or @cut */
	uint64_t failed;
	struct error_counts errors;
	uint64_t total, min, max;
	uint64_t asleep; /* in all calls, if @knows_sleep */
	uint64_t runnable; /* likewise: waiting for a CPU */
	bool knows_sleep; /* sched_switch was recorded */
	uint64_t own; /* on a CPU, for those in @count; @total without @knows_sleep */
	uint64_t slowest_time; /* entry of the longest */
	int32_t slowest_pid;
	uint64_t first_time, last_time; /* earliest and latest entry */
	struct spread spread;
	bool knows_untraced; /* valid after syscalls_finish() */
	bool shows_untraced; /* likewise: and the caller wants it */
	struct syscall_untraced untraced; /* of those in @count, if known */
	struct time_blocks blocks; /* with_notes: without waits for a CPU */
};

/* Returns the time in calls that are complete or did not return: comparable between recordings. */
static inline uint64_t syscall_sums_time(const struct syscall_sums *sums)
{
	return sums->total + sums->ended_total;
}

/* Returns the time in all calls that is inside the recording. */
static inline uint64_t syscall_sums_seen(const struct syscall_sums *sums)
{
	return syscall_sums_time(sums) + sums->cut_total;
}

/* Returns the time in all calls in which the task was not on a CPU; only valid if @knows_sleep. */
static inline uint64_t syscall_sums_off_cpu(const struct syscall_sums *sums)
{
	return sums->asleep + sums->runnable;
}

/* Returns whether it is exit() or exit_group(). */
bool syscall_sums_never_returns(const struct syscall_sums *sums);

/* The times to show: as measured, or without the cost of tracing. */
struct syscall_times {
	uint64_t seen; /* incomplete calls count as measured */
	uint64_t min, median, p99, max;
	bool median_below, max_below; /* the value is an upper bound */
};

struct syscall_times syscall_sums_measured(const struct syscall_sums *sums);
/* Only valid if @knows_untraced. */
struct syscall_times syscall_sums_untraced(const struct syscall_sums *sums);
static inline struct syscall_times syscall_sums_shown(const struct syscall_sums *sums)
{
	return sums->shows_untraced ? syscall_sums_untraced(sums) : syscall_sums_measured(sums);
}
void syscall_sums_done(struct syscall_sums *sums);

/* Returns the number of calls, complete or not. */
static inline uint64_t syscall_sums_calls(const struct syscall_sums *sums)
{
	return sums->count + sums->cut + sums->ended_in + sums->no_exit;
}

struct syscalls {
	struct u64_map numbers; /* number -> index in @list */
	struct syscall_sums *list;
	size_t n, cap;
	struct task_tracker tracker;
	struct syscalls_task *tasks; /* by index in the tracker's table */
	size_t n_tasks, cap_tasks;
	struct arena arena; /* of names */
	struct gaps gaps;
	uint64_t first, last; /* times of the first and last event, even outside the window */
	bool begun; /* an event was fed */
	bool has_switches;
	/* Set by the caller: only what is inside counts; events outside show states. */
	struct clip clip;
	/*
	 * Set by the caller before the end: the trace continues, and open calls last until clip.to.
	 */
	bool goes_on;
	/* Set by the caller with syscall_cost_begin(): times without the cost of tracing. */
	struct syscall_cost cost;
	bool raw; /* set by the caller: don't show those times */
	bool with_notes; /* set by the caller: fill @blocks, for comparisons with other runs */
	bool nomem; /* calls are missing */
	/*
	 * Called for each complete call, after it was added to @sums. Set by the caller; may be
	 * NULL.
	 */
	void (*ended)(void *data, struct syscall_sums *sums, const struct instance *instance);
	void *ended_data;
};

/*
 * Call before the first event: limits the analysis to the feed's window, and asks for early and
 * late events.
 */
void syscalls_clip(struct syscalls *syscalls, struct feed *feed);
/*
 * Call for every event, in chronological order. Empty when zero-initialized. Must not move after
 * the first event.
 */
void syscalls_feed(struct syscalls *syscalls, const struct decoded_event *decoded);
/* The kinds of events that are system calls, for struct feed. */
#define SYSCALLS_FILTERED (1ULL << DECODED_SYSCALL_ENTRY | 1ULL << DECODED_SYSCALL_EXIT)
/* Counts open calls as cut. No events may follow. Returns 0, or -ENOMEM if calls are missing. */
int syscalls_finish(struct syscalls *syscalls);
void syscalls_done(struct syscalls *syscalls);

#endif
