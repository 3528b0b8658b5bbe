/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/process/exec-stop.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/negative-errno.h"

#define SYSCALL_STOP (SIGTRAP | 0x80)

/*
 * Returns the status of the next stop, or -1 if the process has exited. It stays waitable if we are
 * its parent.
 */
static int exec_stop_next(const struct exec_stop *stop)
{
	siginfo_t info = { 0 };
	int status;

	while (waitid(P_PID, (id_t)stop->pid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) < 0)
		if (errno != EINTR)
			return -1;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED && stop->ours)
		return -1;
	while (waitpid(stop->pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return -1;
	return WIFSTOPPED(status) ? status : -1;
}

static bool exec_stop_is_exec(pid_t pid)
{
	struct __ptrace_syscall_info info = { 0 };
	void *size = (void *)(uintptr_t)sizeof(info); /* NOLINT(performance-no-int-to-ptr) */

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, size, &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_execve;
}

int exec_stop_begin(struct exec_stop *stop, pid_t pid, bool ours)
{
	*stop = (struct exec_stop){ .pid = pid, .ours = ours };
	/* PTRACE_SEIZE fails if we are attached already; PTRACE_INTERRUPT fails unless we are. */
	stop->held = ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD) < 0;
	return ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0 ? negative_errno() : 0;
}

bool exec_stop_wait(const struct exec_stop *stop)
{
	for (;;) {
		int status = exec_stop_next(stop), number;

		if (status < 0)
			return false;
		number = WSTOPSIG(status);
		if (number == SYSCALL_STOP && exec_stop_is_exec(stop->pid))
			return true;
		if (stop->held)
			ptrace(PTRACE_SETOPTIONS, stop->pid, 0,
			       PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
		/* Deliver a pending signal, but not the stops that we caused. */
		if (number == SYSCALL_STOP || status >> 16)
			number = 0;
		ptrace(PTRACE_SYSCALL, stop->pid, 0, number);
	}
}

void exec_stop_end(const struct exec_stop *stop)
{
	if (!stop->held) {
		ptrace(PTRACE_DETACH, stop->pid, 0, 0);
		return;
	}
	ptrace(PTRACE_SETOPTIONS, stop->pid, 0, PTRACE_O_TRACEEXEC);
	ptrace(PTRACE_CONT, stop->pid, 0, 0);
}
