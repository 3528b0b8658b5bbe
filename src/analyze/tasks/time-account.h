/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Accounts for the time of each task, from its first to its last event: in the program, in the
 * kernel on its behalf, waiting (and in what), runnable, interrupted. Each instant is counted once.
 *
 * Time without evidence is unknown. The state before a task's first event, or after a gap, follows
 * from the next event: before the exit of a system call it was in that call, before an entry it was
 * in the program. States that the recorded events cannot distinguish share a separate kind: without
 * sched_switch, sleep and work; without kernel functions, the program and page faults.
 *
 * A thread that executes a program takes over the pid of the first thread of its process, which has
 * ended. It stays the same task, under the new pid, unless @only is set.
 *
 * Only tasks that acted themselves are accounted for; others appear as wakers, or as having
 * occupied a CPU. Most precise with the events of sched, syscalls, irq and irq_vectors and the
 * function_graph tracer.
 *
 * Uses memory per task. If it is exhausted, @nomem is set, and further events are ignored. Times
 * are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_TASKS_TIME_ACCOUNT_H
#define FATHOM_ANALYZE_TASKS_TIME_ACCOUNT_H

#include "analyze/stream/clip.h"
#include "analyze/stream/gaps.h"
#include "analyze/tasks/cpu-holders.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/tasks/task-tracking.h"
#include "base/u64-map.h"

enum time_kind {
	TIME_USER, /* in the program */
	TIME_KERNEL, /* in a system call, a page fault etc. */
	TIME_WAITING,
	TIME_RUNNABLE, /* waiting for a CPU */
	TIME_STOLEN, /* interrupted */
	TIME_UNKNOWN, /* began before the recording, or events were lost */
	/* In the program, or in something that was not recorded; see time_account_doubts(). */
	TIME_MAYBE_USER,
	TIME_MAYBE_KERNEL, /* in the kernel, working or asleep: sched_switch was not recorded */
	TIME_KINDS,
};

#define TIME_SYSCALL_NONE    (-1)
#define TIME_SYSCALL_UNKNOWN (-2)

#define TIME_WAKER_INTERRUPT (-1)
#define TIME_WAKER_UNKNOWN   (-2)

/* Waits by cause. */
struct time_wait {
	int64_t syscall; /* system call number, TIME_SYSCALL_NONE or TIME_SYSCALL_UNKNOWN */
	bool disk; /* uninterruptible: mostly for a device */
	bool fault; /* in a page fault */
	uint64_t count, total, max;
	uint64_t longest_time; /* start of the longest */
	int32_t longest_pid;
	int32_t longest_waker; /* pid that ended it, 0: an idle CPU, or TIME_WAKER_... */
};

/* Wakeups by waker. */
struct time_waker {
	int32_t pid; /* or TIME_WAKER_INTERRUPT */
	uint64_t count;
};

struct time_task {
	int32_t pid; /* the first thread of a process keeps it to its end */
	/* It took over @pid when it executed a program; an earlier task had the same. */
	bool took_pid;
	bool acted; /* made system calls, or called kernel functions if no task made any */
	bool called; /* called kernel functions */
	uint64_t first, last; /* times of the first and last event, clipped */
	bool clipped; /* it extends beyond the window */
	uint64_t sums[TIME_KINDS];
	uint64_t waits, preempted; /* number of times it left the CPU, by reason */
	uint64_t migrations;
	uint64_t unconfirmed; /* part of TIME_KERNEL in calls without an exit */
};

/* What TIME_MAYBE_USER may contain besides the program: a set of flags. */
enum time_doubt {
	TIME_DOUBT_FAULTS = 1, /* page faults: kernel functions were not recorded */
	TIME_DOUBT_SWITCHES = 2, /* waiting for a CPU: sched_switch was not recorded */
	TIME_DOUBT_SYSCALLS = 4, /* system calls: they were not recorded */
};

struct time_cpu;
struct time_live;

/*
 * Empty when zero-initialized. The caller may set @only and @clip before the first event, and
 * @goes_on before time_account_finish().
 */
struct time_account {
	struct task_tracker tracker;
	struct time_live *live; /* current task of each pid, by index in the tracker's table */
	size_t n_live, cap_live;
	struct time_task *tasks; /* ordered by first event */
	size_t n_tasks, cap_tasks;
	struct u64_map wait_keys; /* index in @waits */
	struct time_wait *waits;
	size_t n_waits, cap_waits;
	struct u64_map waker_pids; /* pid -> index in @wakers */
	struct time_waker *wakers;
	size_t n_wakers, cap_wakers;
	struct time_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct gaps gaps;
	/* The longest time for which a task was runnable; @total is 0 if none was. */
	struct {
		uint64_t start, total;
		int32_t pid;
	} kept_off;
	struct cpu_holders holders; /* tasks that occupied CPUs while others were runnable */
	bool acted; /* some task acted */
	int32_t *followed; /* pids; see time_account_follow() */
	size_t n_followed, cap_followed;
	uint64_t last; /* time of the last event */
	bool begun; /* an event was fed */
	/* Kinds of events that were seen. */
	bool has_switches, has_wakes, has_entries, has_exits, has_calls, has_faults, has_irqs;
	int32_t only; /* account for this pid only; 0: all */
	struct clip clip; /* only what is inside is counted; events outside show states */
	bool goes_on; /* the trace continues, and tasks stay in their states until clip.to */
	bool outside; /* the current event is early or late */
	bool nomem;
};

/*
 * Declares that the recording follows this task from start to end, so that the time before its
 * first and after its last event is also accounted for. Call before the first event. Returns 0 or
 * -ENOMEM.
 */
int time_account_follow(struct time_account *account, int32_t pid);
/* Call for every event, in chronological order. */
void time_account_feed(struct time_account *account, const struct decoded_event *decoded);
/* Sums up the tasks that acted. Returns 0, or -ENOMEM if anything is missing. */
int time_account_finish(struct time_account *account, uint64_t ret_sums[TIME_KINDS]);
/* Returns a set of enum time_doubt. Call after time_account_finish(). */
unsigned time_account_doubts(const struct time_account *account);
/*
 * Returns the time of the last event of the task, or of a thread that continued under its pid;
 * @ret_clipped likewise.
 */
uint64_t time_account_end(const struct time_account *account, const struct time_task *task,
			  bool *ret_clipped);
void time_account_done(struct time_account *account);

#endif
