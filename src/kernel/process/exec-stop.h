/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stops a process of ours where it enters execve(): what it did before was our work, what follows is the command's. The
 * stop comes before the kernel's tracepoint for the system call, so that a trace that is switched on then has the
 * whole of it.
 */
#ifndef FATHOM_KERNEL_PROCESS_EXEC_STOP_H
#define FATHOM_KERNEL_PROCESS_EXEC_STOP_H

#include <stdbool.h>
#include <sys/types.h>

struct exec_stop {
	pid_t pid;
	bool ours; /* we are its parent */
	bool held; /* hold_at_exec() has it already, and keeps it */
};

/*
 * From now on the process, which has one thread, stops at system calls. 0, or a negative errno when it may not be
 * traced, as nobody may where Yama's ptrace_scope is 3.
 */
int exec_stop_begin(struct exec_stop *stop, pid_t pid, bool ours);
/* Waits until it enters execve(). False: it has ended before, and nothing is left to do. */
bool exec_stop_wait(const struct exec_stop *stop);
/* Lets it go on, as if nothing had been. */
void exec_stop_end(const struct exec_stop *stop);

#endif
