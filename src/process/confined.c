/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process/confined.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "process/sandbox.h"

static void confined_run(int fd, void (*serve)(int fd, void *data), void *data,
			 const struct confined_limits *limits)
{
	/* At the hard limit it would be SIGKILL, which does not say why. */
	const struct rlimit time = { limits->seconds, limits->seconds + 1 }, none = { 0, 0 };

	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (limits->seconds)
		setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_CORE, &none);
	if (dup2(fd, 0) != 0)
		return;
	close_range(1, ~0U, 0);
	sandbox_limit_memory(limits->memory);
	if (sandbox_enter_asking(NULL) >= 0)
		serve(0, data);
}

/* More than others may have, where that is allowed. */
static void set_buffer(int fd, int bytes)
{
	if (bytes && setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

int confined_start(struct confined *confined, void (*serve)(int fd, void *data), void *data,
		   const struct confined_limits *limits, struct fathom_err *err)
{
	int pair[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set_errno(err, -errno, "cannot make a socket");
	set_buffer(pair[0], limits->buffer);
	set_buffer(pair[1], limits->buffer);
	pid = fork();
	if (pid == 0) {
		confined_run(pair[1], serve, data, limits);
		_exit(0);
	}
	r = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (r < 0) {
		close(pair[0]);
		return err_set_errno(err, r, "cannot start a process");
	}
	*confined = (struct confined){ .fd = pair[0], .pid = pid };
	return 0;
}

static void confined_end(struct confined *confined)
{
	if (confined->fd >= 0)
		close(TAKE_FD(confined->fd));
	if (!confined->pid)
		return;
	while (waitpid(confined->pid, &confined->status, 0) < 0 && errno == EINTR)
		;
	confined->pid = 0;
}

void confined_done(struct confined *confined)
{
	confined_end(confined);
}

void confined_kill(struct confined *confined)
{
	if (confined->pid)
		kill(confined->pid, SIGKILL);
	confined_end(confined);
}
