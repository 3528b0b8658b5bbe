/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who began an execve(): a thread that executes a program gets the pid of its process's first thread before it
 * returns, so that entry and exit have different pids. sched_process_exec has the pid from before; where it is not
 * recorded, this finds the thread by what is known about processes: from task_newtask, and from the results of
 * clone() and its kin.
 *
 * When such a call returns, the other threads of the process have left theirs: of threads that are known to be of
 * the process only the one that executes is still in an execve(). The flags of clone3() are not recorded, so what it
 * made may be a process; that one is taken only if nothing else can have returned, and nothing was lost. What is
 * not certain stays unknown.
 */
#ifndef FATHOM_ANALYZE_STREAM_EXEC_PIDS_H
#define FATHOM_ANALYZE_STREAM_EXEC_PIDS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define EXEC_PIDS_NUMBERS 1024 /* of system calls */

struct exec_task;

/* Zero-initialised is empty. */
struct exec_pids {
	struct u64_map pids; /* places in @tasks */
	struct exec_task *tasks;
	size_t n, cap;
	size_t open; /* tasks that are in an execve() */
	uint64_t losses; /* times that events were lost */
	unsigned char roles[EXEC_PIDS_NUMBERS]; /* by the number of the system call */
	bool has_new_tasks; /* task_newtask is recorded, which has the flags of all clones */
	bool nomem; /* something is missing */
};

/* To be fed with all events, in order of time. Sets call_number.old_pid of those that end an execve(). */
void exec_pids_feed(struct exec_pids *execs, struct decoded_event *decoded);
void exec_pids_done(struct exec_pids *execs);

#endif
