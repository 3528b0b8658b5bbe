/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls: how often, how long, how many failed and with what. Fed with the events of
 * the systems "syscalls" or "raw_syscalls", where both are there each call counts once; with
 * sched_switch it is known how long their tasks slept in them, and with sched_waking when that ended
 * and they waited for a CPU.
 *
 * A call of which only one end is known is a call all the same: what of its time is in the recording
 * counts, and what is known of whole calls only (minimum, median, maximum) is without it.
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

/* Without the cost of tracing. */
struct syscall_untraced {
	uint64_t total, min, max;
	uint64_t below; /* how many take less than is in these: it cannot be known how long they take */
	struct spread spread;
};

struct syscall_sums {
	int64_t number;
	const char *name; /* "openat"; NULL: only the number is known */
	uint64_t count; /* of calls of which both ends are known */
	uint64_t cut; /* of which one is not: the next three, or events were lost */
	uint64_t begun_before; /* the recording, or the window */
	uint64_t open_at_end; /* their tasks were in them at its end */
	uint64_t throughout; /* both */
	uint64_t cut_total; /* the time of these three that is inside */
	uint64_t ended_in; /* that do not return, as exit_group; not in @count or @cut */
	uint64_t ended_total; /* the time in them, until the task ended, where that is known */
	uint64_t restarted; /* by the kernel, after a signal; in @count, and each restart as well */
	uint64_t interrupted; /* by a signal, and what the program got is not known; in @count */
	uint64_t no_exit; /* return from a signal handler; not in @count or @cut */
	uint64_t failed;
	struct error_counts errors;
	uint64_t total, min, max;
	uint64_t asleep; /* of all of them, if @knows_sleep */
	uint64_t runnable; /* the same, waiting for a CPU */
	bool knows_sleep; /* sched_switch was recorded */
	uint64_t own; /* on a CPU, of those in @count; @total without @knows_sleep */
	uint64_t slowest_time; /* when the longest began */
	int32_t slowest_pid;
	uint64_t first_time, last_time; /* when the first and the last one began */
	struct spread spread;
	bool knows_untraced; /* when all was fed */
	bool shows_untraced; /* the same, and it is what is wanted */
	struct syscall_untraced untraced; /* of those in @count, if it is known */
	struct time_blocks blocks; /* with_notes: without the time that tasks waited for a CPU */
};

/* The time in all that are whole, or did not return: comparable between recordings. */
static inline uint64_t syscall_sums_time(const struct syscall_sums *sums)
{
	return sums->total + sums->ended_total;
}

/* The time in all of them that is in the recording. */
static inline uint64_t syscall_sums_seen(const struct syscall_sums *sums)
{
	return syscall_sums_time(sums) + sums->cut_total;
}

/* What is shown of them: as measured, or without the cost of tracing. */
struct syscall_times {
	uint64_t seen; /* of calls that are not whole always as measured */
	uint64_t min, median, p99, max;
	bool median_below, max_below; /* it is less */
};

struct syscall_times syscall_sums_measured(const struct syscall_sums *sums);
/* Only if it @knows_untraced. */
struct syscall_times syscall_sums_untraced(const struct syscall_sums *sums);
static inline struct syscall_times syscall_sums_shown(const struct syscall_sums *sums)
{
	return sums->shows_untraced ? syscall_sums_untraced(sums) : syscall_sums_measured(sums);
}
void syscall_sums_done(struct syscall_sums *sums);

/* How many there were, whole or not. */
static inline uint64_t syscall_sums_calls(const struct syscall_sums *sums)
{
	return sums->count + sums->cut + sums->ended_in + sums->no_exit;
}

struct syscalls {
	struct u64_map numbers; /* places in @list */
	struct syscall_sums *list;
	size_t n, cap;
	struct task_tracker tracker;
	struct syscalls_task *tasks; /* by place in the tracker's table */
	size_t n_tasks, cap_tasks;
	struct arena arena; /* names */
	struct gaps gaps;
	uint64_t first, last; /* the times of the first and the last event, also outside */
	bool begun; /* there was one */
	bool has_switches;
	struct clip clip; /* by the caller: what is inside counts; what is outside tells states */
	bool goes_on; /* by the caller, before the end: the trace does, and open calls last until clip.to */
	struct syscall_cost
		cost; /* by the caller, with syscall_cost_begin(): times without it are wanted */
	bool raw; /* by the caller: but they are not to be shown */
	bool with_notes; /* by the caller: for comparisons with other runs, @blocks are wanted */
	bool nomem; /* something is missing */
	/* Called for each call that is counted, if it is set, after @sums had it added. */
	void (*ended)(void *data, struct syscall_sums *sums, const struct instance *instance);
	void *ended_data;
};

/* To be called before the first event: only the feed's window counts, which looks around it. */
void syscalls_clip(struct syscalls *syscalls, struct feed *feed);
/* Zero-initialised is empty. To be fed with all events, in order of time. */
void syscalls_feed(struct syscalls *syscalls, const struct decoded_event *decoded);
/* Which of them are system calls, for struct feed. */
#define SYSCALLS_FILTERED (1ULL << DECODED_SYSCALL_ENTRY | 1ULL << DECODED_SYSCALL_EXIT)
/* Calls that are open are counted as cut. -ENOMEM when something is missing, else 0. */
int syscalls_finish(struct syscalls *syscalls);
void syscalls_done(struct syscalls *syscalls);

#endif
