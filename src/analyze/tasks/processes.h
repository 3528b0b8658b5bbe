/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tasks of a recording: their programs, the signals they received, and how they ended. From the
 * events task_newtask, sched_process_exec, sched_process_exit, signal_generate, signal_deliver and
 * mark_victim, and the system calls exit and exit_group.
 *
 * A reused pid is a new entry. When a process exits, executes a program or is terminated by any
 * signal, the kernel ends its other threads by a SIGKILL without a sender: the delivery of SIGKILL
 * does not say which signal it was.
 *
 * Uses memory per task and signal. If it is exhausted, @nomem is set, and later events are ignored.
 * Pointers to processes and signals are valid until the next processes_feed(). Times are in ns. Not
 * thread-safe.
 */
#ifndef FATHOM_ANALYZE_TASKS_PROCESSES_H
#define FATHOM_ANALYZE_TASKS_PROCESSES_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

/* Further tasks are ignored. */
#define PROCESSES_MAX ((size_t)1 << 20)
#define PROCESS_NONE  UINT32_MAX

/* The sender of a signal, if it is not the pid of a process. */
#define SENDER_KERNEL  (-1)
#define SENDER_UNKNOWN (-2)
#define SENDER_SEVERAL (-3)

/* The signals of one number that a process received. */
struct process_signal {
	int32_t number;
	int32_t sender; /* pid of the sending process, or SENDER_... */
	uint64_t count; /* in total */
	uint64_t handled, ignored, stopped, terminated; /* by effect */
	uint64_t merged; /* dropped, because one was pending already */
	uint64_t failed; /* could not be queued */
	uint64_t pending; /* sent, but not delivered: blocked, or consumed by sigwait() */
	uint32_t process; /* index of the receiver */
	uint32_t next; /* index of the next one of the process, or PROCESS_NONE */
	bool may_kill; /* one is pending and may have terminated the process */
};

enum process_end {
	PROCESS_END_UNKNOWN, /* still running, or not recorded */
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
	int32_t signal; /* KILLED: 0 if unknown */
	enum process_dump dump; /* KILLED */
};

/* Returns whether it is known to have failed. */
static inline bool process_ended_badly(const struct process_ending *ending)
{
	return ending->how == PROCESS_KILLED ||
	       (ending->how == PROCESS_EXITED && ending->has_code && ending->code);
}

struct process {
	int32_t pid;
	int32_t parent; /* pid; 0: predates the trace, or unknown */
	bool thread; /* in the process of its parent */
	bool acted; /* has events of its own */
	uint32_t leader; /* index of the first thread of its process; its own index for others */
	uint32_t before; /* index of the previous task with this pid, or PROCESS_NONE */
	uint32_t maker; /* index of the parent, or PROCESS_NONE */
	const char *program; /* last executed program, in @arena; NULL: that of its parent */
	uint64_t started, ended; /* 0: not recorded */
	uint32_t looked; /* @attempts of the leader at its last system call */
	/* Of the process as a whole; valid in its leader: */
	uint32_t signals; /* index of its first signal, or PROCESS_NONE */
	uint32_t attempts; /* number of signals that could terminate it */
	uint32_t alive; /* number of known threads that live */
	bool suspected; /* one of these signals may have done so */
	bool whole; /* all its threads are known */
	bool exits; /* it called exit_group() with @code */
	bool exit_doubtful; /* a signal may have been first */
	bool leader_exits; /* its first thread called exit() with @leader_code */
	bool killed_seen; /* the kernel killed one of its threads */
	bool out_of_memory; /* chosen by the OOM killer */
	int32_t code, leader_code;
	int32_t fatal; /* signal that terminated it; 0: none or unknown */
	/* CLD_EXITED, CLD_KILLED or CLD_DUMPED, as reported to its parent; 0: not recorded */
	int32_t reported;
};

/* Empty when zero-initialized. */
struct processes {
	struct u64_map pids; /* pid -> index in @latest */
	uint32_t *latest; /* current task with the pid: index in @list */
	size_t n_pids, cap_pids;
	struct process *list; /* in order of appearance */
	size_t n, cap;
	struct process_signal *signals;
	size_t n_signals, cap_signals;
	struct arena arena;
	bool lost; /* events were lost */
	bool nomem;
};

/* Call for every event, in chronological order. */
void processes_feed(struct processes *processes, const struct decoded_event *decoded);
/* Returns the task that had the pid at that time, or NULL if none is known. */
const struct process *processes_find(const struct processes *processes, int32_t pid, uint64_t time);
/* Returns how the process ended. Threads other than the leader have no ending: unknown. */
struct process_ending process_ending(const struct processes *processes,
				     const struct process *process);
/* Returns the signals of that number that the process received, or NULL if there were none. */
const struct process_signal *process_signal_find(const struct processes *processes,
						 const struct process *process, int32_t number);
/* Returns whether these signals are the kernel's reports of the end of children. */
bool process_signal_is_of_child(const struct process_signal *signal);
/*
 * Returns whether the signals are worth showing. Reports of the end of a child are not if the
 * parent ignores them, or was not recorded itself, like the recorder.
 */
bool process_signal_matters(const struct processes *processes, const struct process_signal *signal);
/* Counts the signals worth showing, of the process that @pid belongs to; 0: of all processes. */
uint64_t processes_count_signals(const struct processes *processes, int32_t pid);
void processes_done(struct processes *processes);

#endif
