/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tasks that were started, what they ran, which signals they got and how they ended: from the
 * events task_newtask, sched_process_exec, sched_process_exit, signal_generate, signal_deliver and mark_victim,
 * and the system calls exit and exit_group.
 *
 * A pid that is used again is another task. The kernel ends the other threads of a process that exits
 * or executes a program by a SIGKILL that nobody sent, and those of one that is terminated by any
 * signal as well: a delivery of SIGKILL never tells which signal it was.
 */
#ifndef FATHOM_ANALYZE_TASKS_PROCESSES_H
#define FATHOM_ANALYZE_TASKS_PROCESSES_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

/* More tasks are not told apart. */
#define PROCESSES_MAX ((size_t)1 << 20)
#define PROCESS_NONE  UINT32_MAX

/* Who sent a signal, where it is not the pid of a task. */
#define SENDER_KERNEL  (-1)
#define SENDER_UNKNOWN (-2)
#define SENDER_SEVERAL (-3)

/* The signals of one number that a process got. */
struct process_signal {
	int32_t number;
	int32_t sender; /* a pid, or SENDER_... */
	uint64_t count; /* all */
	uint64_t handled, ignored, stopped, terminated; /* what they did */
	uint64_t merged; /* one of them was pending already */
	uint64_t failed; /* could not be queued */
	uint64_t pending; /* sent, and not seen to be delivered: blocked, or taken by sigwait() */
	uint32_t process; /* place of who got them */
	uint32_t next; /* of the same process; PROCESS_NONE */
	bool may_kill; /* one is pending, and may have terminated the process */
};

enum process_end {
	PROCESS_END_UNKNOWN, /* it runs, or the recording does not tell */
	PROCESS_EXITED,
	PROCESS_KILLED,
};

enum process_dump {
	PROCESS_DUMP_UNKNOWN,
	PROCESS_NOT_DUMPED,
	PROCESS_DUMPED,
};

struct process_ending {
	enum process_end how;
	bool has_code; /* EXITED: @code is known */
	int32_t code;
	int32_t signal; /* KILLED; 0: not known which */
	enum process_dump dump; /* KILLED */
};

/* Is it known that it did not succeed? */
static inline bool process_ended_badly(const struct process_ending *ending)
{
	return ending->how == PROCESS_KILLED ||
	       (ending->how == PROCESS_EXITED && ending->has_code && ending->code);
}

struct process {
	int32_t pid;
	int32_t parent; /* 0: it was there before, or nobody knows */
	bool thread; /* of its parent's process */
	bool acted; /* something was recorded of it, not only about it */
	uint32_t leader; /* place of the process that it is a thread of; its own for others */
	uint32_t before; /* place of the task that had the pid before; PROCESS_NONE */
	uint32_t maker; /* place of the parent; PROCESS_NONE */
	const char *program; /* what it executed last; NULL: what its parent did */
	uint64_t started, ended; /* 0: not seen */
	uint32_t looked; /* at @attempts of its leader, when it entered a system call last */
	/* Of the process as a whole, at its leader. */
	uint32_t signals; /* place of the first in the list of signals; PROCESS_NONE */
	uint32_t attempts; /* signals that were sent and could terminate it */
	uint32_t alive; /* of its threads that are known */
	bool suspected; /* one of them may have */
	bool whole; /* all its threads are known */
	bool exits; /* exit_group() was called, with @code */
	bool exit_doubtful; /* a signal may have come before */
	bool leader_exits; /* exit() was called by its first thread, with @leader_code */
	bool killed_seen; /* the kernel ended one of its threads */
	bool out_of_memory; /* the kernel chose it, to have its memory */
	int32_t code, leader_code;
	int32_t fatal; /* the signal that terminated it; 0: none, or not known */
	int32_t told; /* what its parent was told: CLD_EXITED, CLD_KILLED, CLD_DUMPED; 0: not seen */
};

/* Zero-initialised is empty. */
struct processes {
	struct u64_map pids; /* places in @latest */
	uint32_t *latest; /* places in @list */
	size_t n_pids, cap_pids;
	struct process *list; /* in the order in which they came */
	size_t n, cap;
	struct process_signal *signals;
	size_t n_signals, cap_signals;
	struct arena arena;
	bool lost; /* events were lost */
	bool nomem;
};

/* To be fed with all events, in order of time. */
void processes_feed(struct processes *processes, const struct decoded_event *decoded);
/* The one that had the pid at that time; NULL when nothing was seen of it. */
const struct process *processes_find(const struct processes *processes, int32_t pid, uint64_t time);
/* How it ended. Threads have no end of their own: unknown. */
struct process_ending process_ending(const struct processes *processes,
				     const struct process *process);
/* What is known of the signals of that number that the process got; NULL: it was not seen to get one. */
const struct process_signal *process_signal_find(const struct processes *processes,
						 const struct process *process, int32_t number);
/* Does the kernel tell a parent of the end of a child? */
bool process_signal_is_of_child(const struct process_signal *signal);
/*
 * Is it worth telling? Not the end of a child to a parent that ignores it, or that was not recorded, as
 * the one who records.
 */
bool process_signal_matters(const struct processes *processes, const struct process_signal *signal);
/* How many signals matter; @pid: to this process, or that of this thread; 0: to all. */
uint64_t processes_count_signals(const struct processes *processes, int32_t pid);
void processes_done(struct processes *processes);

#endif
