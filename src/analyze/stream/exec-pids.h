/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Determines which thread called execve(). A thread that executes a program takes over the pid of
 * the first thread of its process before the call returns, so that entry and exit have different
 * pids. sched_process_exec has the previous pid; without it, the pid is inferred from the threads
 * of the process, which are known from task_newtask and from the results of clone() and fork().
 *
 * When the call returns, the kernel has killed the other threads of the process, so the caller is
 * the only thread of that process that is still inside execve(). The flags of clone3() are not
 * recorded, so its child may be a thread or a process; such a child is chosen only if it is the
 * only candidate and no events were lost. In case of doubt, the pid stays unknown.
 *
 * If memory is exhausted, @nomem is set, and some pids stay unknown. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_EXEC_PIDS_H
#define FATHOM_ANALYZE_STREAM_EXEC_PIDS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define EXEC_PIDS_NUMBERS 1024 /* system call numbers from 0 */

struct exec_task;

/* Empty when zero-initialized. */
struct exec_pids {
	struct u64_map pids; /* pid -> index in @tasks */
	struct exec_task *tasks;
	size_t n, cap;
	size_t open; /* tasks inside execve() */
	uint64_t losses; /* number of gaps so far */
	unsigned char roles[EXEC_PIDS_NUMBERS]; /* by system call number */
	bool has_new_tasks; /* task_newtask, which has the flags of every clone, was recorded */
	bool nomem; /* some tasks are missing */
};

/* Call for every event, in chronological order. Sets call_number.old_pid at the exit of an execve(). */
void exec_pids_feed(struct exec_pids *execs, struct decoded_event *decoded);
void exec_pids_done(struct exec_pids *execs);

#endif
