/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pauses processes with ptrace(2), so that tracing can be set up for all of their threads at once.
 * The kernel lets them continue when we exit. All functions for a hold must be called by the same
 * thread. Functions return 0 or a negative errno; on failure, the hold is still to be released.
 */
#ifndef FATHOM_KERNEL_TRACEFS_HOLD_H
#define FATHOM_KERNEL_TRACEFS_HOLD_H

#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

/* Paused threads. Empty when zero-initialized. */
struct hold {
	pid_t *tids;
	size_t n, cap;
};

/*
 * Attaches to our child @pid, to pause it when it executes a program. Until then, it keeps
 * running.
 */
int hold_at_exec(struct hold *hold, pid_t pid, struct fathom_err *err);
/*
 * Waits until it is paused. Returns -ESRCH if the process has exited, and leaves it to be
 * reaped.
 */
int hold_wait_exec(struct hold *hold, struct fathom_err *err);
/* Pauses all threads of a process. On failure, no thread stays paused. */
int hold_process(struct hold *hold, pid_t pid, struct fathom_err *err);
/* Lets all threads continue, and frees the list. Can be called again. */
void hold_release(struct hold *hold);

#define _cleanup_hold_ __attribute__((cleanup(hold_release)))

/* Lists the threads of a process; the caller frees the list. Returns 0 or a negative errno. */
int task_threads(pid_t pid, pid_t **ret_tids, size_t *ret_n);

/*
 * Returns the process that @tid is a thread of, or a negative errno, -ESRCH if there is no such
 * task.
 */
pid_t task_process(pid_t tid);

#endif
