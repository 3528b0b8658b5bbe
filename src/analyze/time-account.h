/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the time of tasks went, from their first event to their last: in their program, in the
 * kernel for it, waiting (and in what), waiting for a CPU, interrupted. Each moment counts
 * once. Where events were lost it is "unknown", and nothing is made up.
 *
 * Only tasks that did something themselves are told of; others show in events as wakers, or as
 * who ran before. Known best with the events of sched, syscalls, irq and irq_vectors and the
 * tracer function_graph.
 */
#ifndef FATHOM_ANALYZE_TIME_ACCOUNT_H
#define FATHOM_ANALYZE_TIME_ACCOUNT_H

#include "analyze/happening.h"
#include "base/u64-map.h"

enum time_kind {
	TIME_USER, /* in the program itself */
	TIME_KERNEL, /* in a system call, a page fault and the like */
	TIME_WAITING,
	TIME_RUNNABLE, /* could run, but no CPU was free */
	TIME_STOLEN, /* an interrupt was in its place */
	TIME_UNKNOWN, /* events were lost */
	TIME_KINDS,
};

/* What a task waited in. */
struct time_wait {
	int64_t syscall; /* its number; -1: in none */
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
	int32_t pid;
	bool acted; /* did something itself: made system calls, or ran functions where none made any */
	bool called; /* functions of the kernel */
	uint64_t first, last; /* the times of its first and last event */
	uint64_t sums[TIME_KINDS];
	uint64_t waits, preempted; /* how often it left the CPU, and why */
	uint64_t migrations;

	/* What it does since @since. */
	uint64_t since;
	int64_t syscall;
	unsigned open; /* functions of the kernel that it is in */
	unsigned irqs;
	bool off, runnable, lost, gone;
	bool fault; /* a page is being brought; where it was called from: */
	unsigned fault_open;
	bool counted; /* the wait that it is or was in is */
	uint32_t wait; /* and where, in @waits of the account */
	uint64_t off_since;
	uint64_t runnable_since; /* when it could have run again */
	bool woken; /* the waker of this wait is known */
	uint32_t cpu;
};

/* Zero-initialised is empty. */
struct time_account {
	struct u64_map pids; /* places in @tasks */
	struct time_task *tasks;
	size_t n_tasks, cap_tasks;
	struct u64_map wait_keys; /* places in @waits */
	struct time_wait *waits;
	size_t n_waits, cap_waits;
	struct u64_map waker_pids; /* places in @wakers */
	struct time_waker *wakers;
	size_t n_wakers, cap_wakers;
	uint64_t *gaps; /* by CPU: when events were lost last; 0: never */
	size_t n_gaps, cap_gaps;
	/* When a task could run and did not for the longest; @total is 0 if that never was. */
	struct {
		uint64_t start, total;
		int32_t pid;
	} kept_off;
	bool acted; /* a task did something by itself */
	int32_t only; /* to be set before the first: no other task is told of; 0: all are */
	bool nomem;
};

/* To be fed with all happenings, in the order of time. */
void time_account_feed(struct time_account *account, const struct happening *happening);
/* The sums of all tasks that acted. -ENOMEM when something is missing, else 0. */
int time_account_finish(struct time_account *account, uint64_t ret_sums[TIME_KINDS]);
void time_account_done(struct time_account *account);

#endif
