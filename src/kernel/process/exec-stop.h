/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stops a process that fathom has forked where it enters execve(): the boundary between fathom's
 * own work and the command's. The stop precedes the kernel's tracepoint for the system call, so
 * tracing that is enabled now records the whole call.
 *
 * Uses ptrace(2): all functions must be called by the same thread, which also called
 * hold_at_exec(), if that was called.
 */
#ifndef FATHOM_KERNEL_PROCESS_EXEC_STOP_H
#define FATHOM_KERNEL_PROCESS_EXEC_STOP_H

#include <stdbool.h>
#include <sys/types.h>

struct exec_stop {
	pid_t pid;
	bool ours; /* we are its parent */
	bool held; /* hold_at_exec() has attached before, and stays attached */
};

/*
 * Makes the process, which must have a single thread, stop at system calls from now on. Returns 0
 * or a negative errno if it cannot be traced, for example with Yama's ptrace_scope 3.
 */
int exec_stop_begin(struct exec_stop *stop, pid_t pid, bool ours);
/*
 * Waits until it enters execve(). Returns false if it has exited; then exec_stop_end() is
 * unnecessary.
 */
bool exec_stop_wait(const struct exec_stop *stop);
/* Lets the process continue; detaches, unless hold_at_exec() still waits for it. */
void exec_stop_end(const struct exec_stop *stop);

#endif
