/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/tracefs/hold.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"

static int hold_add(struct hold *hold, pid_t tid)
{
	if (mem_reserve(&hold->tids, &hold->cap, hold->n + 1, sizeof(*hold->tids)) < 0)
		return -ENOMEM;
	hold->tids[hold->n++] = tid;
	return 0;
}

static bool is_held(const struct hold *hold, pid_t tid)
{
	for (size_t i = 0; i < hold->n; i++)
		if (hold->tids[i] == tid)
			return true;
	return false;
}

int hold_at_exec(struct hold *hold, pid_t pid, struct fathom_err *err)
{
	int r = hold_add(hold, pid);

	if (r < 0)
		return err_nomem(err);
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC) < 0) {
		r = negative_errno();
		hold->n--;
		return err_set_errno(err, r, "cannot stop the command at its start");
	}
	return 0;
}

/* Waits for the next stop of @tid. Returns its status, or a negative errno if it has exited. */
static int next_stop(pid_t tid)
{
	siginfo_t info = { 0 };
	int status;

	/* Don't reap the command; leave that to its parent. */
	while (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) < 0)
		if (errno != EINTR)
			return negative_errno();
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
		return -ESRCH;
	while (waitpid(tid, &status, __WALL) < 0)
		if (errno != EINTR)
			return negative_errno();
	return status;
}

int hold_wait_exec(struct hold *hold, struct fathom_err *err)
{
	pid_t pid = hold->tids[0];

	for (;;) {
		int status = next_stop(pid);

		if (status < 0) {
			hold->n = 0;
			return err_set_errno(err, status, "the command exited at its start");
		}
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return 0;
		/* Deliver a pending signal. */
		ptrace(PTRACE_CONT, pid, 0, status >> 16 ? 0 : WSTOPSIG(status));
	}
}

/* Pauses one thread. A thread that has exited is not an error. */
static int hold_thread(struct hold *hold, pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, 0, 0) < 0)
		return errno == ESRCH ? 0 : negative_errno();
	if (hold_add(hold, tid) < 0) {
		ptrace(PTRACE_DETACH, tid, 0, 0);
		return -ENOMEM;
	}
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0 || next_stop(tid) < 0)
		hold->n--;
	return 0;
}

int task_threads(pid_t pid, pid_t **ret_tids, size_t *ret_n)
{
	_cleanup_free_ pid_t *tids = NULL;
	_cleanup_closedir_ DIR *dir = NULL;
	size_t n = 0, cap = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return negative_errno();
	for (struct dirent *entry; (entry = readdir(dir));) {
		long tid = strtol(entry->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		if (mem_reserve(&tids, &cap, n + 1, sizeof(*tids)) < 0)
			return -ENOMEM;
		tids[n++] = (pid_t)tid;
	}
	if (!n)
		return -ESRCH;
	*ret_tids = TAKE_PTR(tids);
	*ret_n = n;
	return 0;
}

pid_t task_process(pid_t tid)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char path[64];
	const char *line;
	int r;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	r = file_read(AT_FDCWD, path, &text);
	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	line = strstr(strbuf_str(&text), "\nTgid:");
	return line ? (pid_t)strtol(line + strlen("\nTgid:"), NULL, 10) : -ESRCH;
}

int hold_process(struct hold *hold, pid_t pid, struct fathom_err *err)
{
	size_t before;

	/* Threads that still run may create new ones, so repeat until none is found. */
	do {
		_cleanup_free_ pid_t *tids = NULL;
		size_t n;
		int r = task_threads(pid, &tids, &n);

		before = hold->n;
		for (size_t i = 0; r == 0 && i < n; i++)
			if (!is_held(hold, tids[i]))
				r = hold_thread(hold, tids[i]);
		if (r < 0) {
			hold_release(hold);
			return err_set_errno(err, r, "cannot stop process %d%s", (int)pid,
					     r == -EPERM ? " (is a debugger attached?)" : "");
		}
	} while (hold->n > before);
	return hold->n ? 0 : err_set(err, -ESRCH, "no process %d", (int)pid);
}

void hold_release(struct hold *hold)
{
	for (size_t i = 0; i < hold->n; i++)
		ptrace(PTRACE_DETACH, hold->tids[i], 0, 0);
	free(hold->tids);
	*hold = (struct hold){ 0 };
}
