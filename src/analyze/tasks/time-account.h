/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the time of tasks went, from their first event to their last: in their program, in the
 * kernel for it, waiting (and in what), waiting for a CPU, interrupted. Each moment counts
 * once.
 *
 * What no event tells is unknown, and nothing is made up. What a task did before its first event, or
 * after events were lost, is found out by the event that follows: where a system call ends it was in
 * that call, where one begins it was in the program. What the events of a recording cannot tell apart
 * is a kind of its own: without sched_switch, sleep and work; without functions, the program and the
 * handling of page faults.
 *
 * A thread that executes a program gets the pid of the first thread of its process, which has ended: it stays one task,
 * with that pid. With @only set, it is another one from then on.
 *
 * Only tasks that did something themselves are told of; others show in events as wakers, or as
 * who ran before. Known best with the events of sched, syscalls, irq and irq_vectors and the
 * tracer function_graph.
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
	TIME_USER, /* in the program itself */
	TIME_KERNEL, /* in a system call, a page fault and the like */
	TIME_WAITING,
	TIME_RUNNABLE, /* could run, but no CPU was free */
	TIME_STOLEN, /* an interrupt was in its place */
	TIME_UNKNOWN, /* began before the recording, or events were lost */
	TIME_MAYBE_USER, /* in the program or in what was not recorded, see time_account_doubts() */
	TIME_MAYBE_KERNEL, /* in the kernel, working or asleep: sched_switch was not recorded */
	TIME_KINDS,
};

#define TIME_SYSCALL_NONE    (-1)
#define TIME_SYSCALL_UNKNOWN (-2)

/* What a task waited in. */
struct time_wait {
	int64_t syscall; /* its number, or TIME_SYSCALL_NONE, TIME_SYSCALL_UNKNOWN */
	bool disk; /* not to be disturbed: most often for a device */
	bool fault; /* for a page */
	uint64_t count, total, max;
	uint64_t longest_time; /* when the longest began */
	int32_t longest_pid;
};

/* Who ended waits. */
struct time_waker {
	int32_t pid; /* -1: interrupts */
	uint64_t count;
};

struct time_task {
	int32_t pid; /* the first thread of a process has that until its end */
	bool took_pid; /* it got @pid when it executed a program; the one that had that is a task before it */
	bool acted; /* did something itself: made system calls, or ran functions where none made any */
	bool called; /* functions of the kernel */
	uint64_t first, last; /* the times of its first and last event, clipped */
	bool clipped; /* there is more of it outside of the window */
	uint64_t sums[TIME_KINDS];
	uint64_t waits, preempted; /* how often it left the CPU, and why */
	uint64_t migrations;
	uint64_t unconfirmed; /* of TIME_KERNEL: in calls whose end was not seen */
};

/* What is in TIME_MAYBE_USER besides the program: a set of these. */
enum time_doubt {
	TIME_DOUBT_FAULTS = 1, /* page faults: kernel functions were not recorded */
	TIME_DOUBT_SWITCHES = 2, /* waiting for a CPU: sched_switch was not */
	TIME_DOUBT_SYSCALLS = 4, /* system calls were not */
};

struct time_live;

struct time_cpu {
	bool has_turns; /* a switch was seen */
	int32_t pid; /* who came on last; 0: the idle task, or events were lost since */
	int32_t prev_pid; /* who went off then */
};

/* Zero-initialised is empty. */
struct time_account {
	struct task_tracker tracker;
	struct time_live *
		live; /* by place in the tracker's table: what the task that has the pid is doing */
	size_t n_live, cap_live;
	struct time_task *tasks; /* in the order of their first events */
	size_t n_tasks, cap_tasks;
	struct u64_map wait_keys; /* places in @waits */
	struct time_wait *waits;
	size_t n_waits, cap_waits;
	struct u64_map waker_pids; /* places in @wakers */
	struct time_waker *wakers;
	size_t n_wakers, cap_wakers;
	struct time_cpu *cpus;
	size_t n_cpus, cap_cpus;
	struct gaps gaps;
	/* When a task could run and did not for the longest; @total is 0 if that never was. */
	struct {
		uint64_t start, total;
		int32_t pid;
	} kept_off;
	struct cpu_holders holders; /* who had the CPU while tasks could run */
	bool acted; /* a task did something by itself */
	int32_t *followed; /* pids */
	size_t n_followed, cap_followed;
	uint64_t last; /* the time of the last event */
	bool begun; /* there was one */
	/* Such events were seen. */
	bool has_switches, has_wakes, has_entries, has_exits, has_calls, has_faults, has_irqs;
	int32_t only; /* to be set before the first: no other task is told of; 0: all are */
	struct clip clip; /* the same: only what is inside counts; what is outside tells states */
	bool goes_on; /* to be set before the end: the trace does, and tasks stay what they are until clip.to */
	bool outside; /* what is fed is early or late */
	bool nomem;
};

/*
 * To be called before the first event: the recording follows this task from its beginning to its end,
 * so the time before the task's first event and after its last one is accounted for as well. 0 or -ENOMEM.
 */
int time_account_follow(struct time_account *account, int32_t pid);
/* To be fed with all events, in order of time. */
void time_account_feed(struct time_account *account, const struct decoded_event *decoded);
/* The sums of all tasks that acted. -ENOMEM when something is missing, else 0. */
int time_account_finish(struct time_account *account, uint64_t ret_sums[TIME_KINDS]);
/* After time_account_finish(): a set of enum time_doubt. */
unsigned time_account_doubts(const struct time_account *account);
/* The last event of the task, or of a thread that went on with its pid when it ended; the same for @clipped. */
uint64_t time_account_end(const struct time_account *account, const struct time_task *task,
			  bool *ret_clipped);
void time_account_done(struct time_account *account);

#endif
