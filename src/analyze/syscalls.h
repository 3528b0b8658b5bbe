/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls: how often, how long, how many failed and with what. Fed with the events of
 * the systems "syscalls" or "raw_syscalls", where both are there each call counts once; with
 * sched_switch it is known how long their tasks slept in them.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_H
#define FATHOM_ANALYZE_SYSCALLS_H

#include "analyze/error-counts.h"
#include "analyze/gaps.h"
#include "analyze/happening.h"
#include "analyze/slowest.h"
#include "analyze/spread.h"
#include "base/u64-map.h"

struct syscall_sums {
	int64_t number;
	const char *name; /* "openat"; NULL: only the number is known */
	uint64_t count; /* of calls of which both ends are known */
	uint64_t cut; /* of which one is not */
	uint64_t ended_in; /* in which their tasks ended, as in exit_group; not in @count or @cut */
	uint64_t ended_total; /* the time in them, until the task ended */
	uint64_t failed;
	struct error_counts errors;
	uint64_t total, asleep, min, max;
	uint64_t slowest_time; /* when the longest began */
	int32_t slowest_pid;
	uint64_t first_time, last_time; /* when the first and the last one began */
	struct spread spread;
};

/* The time in all of which it is known. */
static inline uint64_t syscall_sums_time(const struct syscall_sums *sums)
{
	return sums->total + sums->ended_total;
}

struct syscalls {
	struct u64_map numbers; /* places in @list */
	struct syscall_sums *list;
	size_t n, cap;
	struct u64_map pids; /* places in @tasks */
	struct syscalls_task *tasks;
	size_t n_tasks, cap_tasks;
	struct arena arena; /* names */
	struct gaps gaps;
	bool nomem; /* something is missing */
	/* Called for each call that is counted, if it is set, after @sums had it added. */
	void (*ended)(void *data, struct syscall_sums *sums, const struct instance *instance);
	void *ended_data;
};

/* Zero-initialised is empty. To be fed with all happenings, in the order of time. */
void syscalls_feed(struct syscalls *syscalls, const struct happening *happening);
/* Which of them are system calls, for struct feed. */
#define SYSCALLS_FILTERED (1ULL << HAPPENING_SYSCALL_ENTRY | 1ULL << HAPPENING_SYSCALL_EXIT)
/* Calls that are open are counted as cut. -ENOMEM when something is missing, else 0. */
int syscalls_finish(struct syscalls *syscalls);
void syscalls_done(struct syscalls *syscalls);

#endif
