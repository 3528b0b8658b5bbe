/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that stand still for a moment, by ptrace(2), so that something can be set up in all of
 * their threads at once. When we die the kernel lets them go on.
 */
#ifndef FATHOM_KERNEL_TRACEFS_HOLD_H
#define FATHOM_KERNEL_TRACEFS_HOLD_H

#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

/* Threads that are held. Zero-initialised holds none. */
struct hold {
	pid_t *tids;
	size_t n, cap;
};

/* Will hold our child @pid when it executes a program; it goes on until then. */
int hold_at_exec(struct hold *hold, pid_t pid, struct fathom_err *err);
/* Waits until it does. -ESRCH: it has ended instead. */
int hold_wait_exec(struct hold *hold, struct fathom_err *err);
/* Holds all threads of a process. */
int hold_process(struct hold *hold, pid_t pid, struct fathom_err *err);
/* Lets all go on. */
void hold_release(struct hold *hold);

#define _cleanup_hold_ __attribute__((cleanup(hold_release)))

/* The threads of a process, to be freed. 0 or a negative errno. */
int task_threads(pid_t pid, pid_t **ret_tids, size_t *ret_n);

/* The process that @tid is a thread of. A negative errno: there is no such task. */
pid_t task_process(pid_t tid);

#endif
