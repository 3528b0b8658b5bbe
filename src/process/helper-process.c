/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/helper-process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/fds.h"
#include "base/negative-errno.h"

/* For a process whose socket was closed, unless it hangs or is malicious. */
#define EXIT_MS 1000
/* The longest interval between two checks. */
#define PAUSE_MS 10

pid_t helper_process_fork(void)
{
	pid_t before = getpid(), pid = fork(), parent;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/*
		 * The parent may have died before prctl(). From another PID namespace, its PID is
		 * 0.
		 */
		parent = getppid();
		if (parent && parent != before)
			_exit(0);
	}
	return pid;
}

int helper_process_reap(pid_t pid, int timeout_ms, int *ret_status)
{
	int pause = 0;

	for (;;) {
		int status;
		pid_t reaped = waitpid(pid, &status, timeout_ms < 0 ? 0 : WNOHANG);

		if (reaped == pid) {
			*ret_status = status;
			return 0;
		}
		if (reaped < 0 && errno != EINTR)
			return negative_errno();
		if (timeout_ms == 0)
			return -ETIMEDOUT;
		if (timeout_ms < 0)
			continue;
		pause = pause < PAUSE_MS ? pause + 1 : PAUSE_MS;
		pause = pause < timeout_ms ? pause : timeout_ms;
		poll(NULL, 0, pause);
		timeout_ms -= pause;
	}
}

static void helper_process_run(int fd, const struct helper_process_options *options)
{
	signal(SIGINT, SIG_IGN);
	if (!options->keeps_files) {
		/* A pager would wait for the end of its input. */
		if (dup2(fd, 0) != 0)
			return;
		fds_close_from(1);
		fd = 0;
	}
	options->serve(fd, options->data);
}

/* Larger than the administrator's limit, if permitted. */
static void set_buffer(int fd, int bytes)
{
	if (bytes && setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

int helper_process_start(struct helper_process *process,
			 const struct helper_process_options *options, struct fathom_err *err)
{
	int type = options->is_stream ? SOCK_STREAM : SOCK_SEQPACKET, pair[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set_errno(err, negative_errno(), "cannot make a socket");
	set_buffer(pair[0], options->buffer);
	set_buffer(pair[1], options->buffer);
	pid = helper_process_fork();
	if (pid == 0) {
		close(pair[0]);
		helper_process_run(pair[1], options);
		_exit(0);
	}
	r = pid < 0 ? negative_errno() : 0;
	close(pair[1]);
	if (r < 0) {
		close(pair[0]);
		return err_set_errno(err, r, "cannot start a process");
	}
	*process = (struct helper_process){ .fd = pair[0], .pid = pid };
	return 0;
}

static void helper_process_hang_up(struct helper_process *process)
{
	if (process->fd >= 0)
		close(TAKE_FD(process->fd));
}

/* There is no process, or none that can be reaped. */
static void helper_process_forget(struct helper_process *process)
{
	if (process->pid)
		helper_process_reap(process->pid, -1, &process->status);
	process->pid = 0;
}

bool helper_process_exits(struct helper_process *process, int timeout_ms)
{
	int r = process->pid ? helper_process_reap(process->pid, timeout_ms, &process->status) : 0;

	/*
	 * If there is no child with this PID, as with SIGCHLD ignored, another process may have it.
	 */
	if (r == 0 || r == -ECHILD)
		process->pid = 0;
	return r == 0;
}

void helper_process_done(struct helper_process *process)
{
	helper_process_hang_up(process);
	if (!helper_process_exits(process, EXIT_MS))
		helper_process_kill(process);
}

void helper_process_finish(struct helper_process *process)
{
	helper_process_hang_up(process);
	helper_process_forget(process);
}

void helper_process_kill(struct helper_process *process)
{
	if (process->pid && kill(process->pid, SIGKILL) < 0)
		process->pid = 0;
	helper_process_hang_up(process);
	helper_process_forget(process);
}
