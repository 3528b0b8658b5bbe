/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"

#define FDS_MAX 200 /* instances that are switched on; what one message can carry */

union fd_message {
	struct cmsghdr head;
	char space[CMSG_SPACE(FDS_MAX * sizeof(int))];
};

/* Receives the files to switch on. Their number, or -1 when nobody is there any more. */
static int receive_fds(int channel, int *fds)
{
	union fd_message message;
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr header = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &message,
				 .msg_controllen = sizeof(message) };
	struct cmsghdr *head;
	ssize_t n;
	size_t size;

	do
		n = recvmsg(channel, &header, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return -1;
	head = CMSG_FIRSTHDR(&header);
	if (!head || head->cmsg_type != SCM_RIGHTS)
		return 0;
	size = head->cmsg_len - CMSG_LEN(0);
	memcpy(fds, CMSG_DATA(head), size);
	return (int)(size / sizeof(int));
}

/* From the first write on every function of this process may be in the trace. */
static int become(char *const argv[], const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		if (write(fds[i], "1", 1) < 0)
			return errno;
	execvp(argv[0], argv);
	return errno;
}

static _Noreturn void wait_and_become(int channel, char *const argv[])
{
	int fds[FDS_MAX], n, code;

	n = receive_fds(channel, fds);
	if (n < 0)
		_exit(CHILD_EXIT_OURS);
	code = become(argv, fds, n);
	(void)!send(channel, &code, sizeof(code), MSG_NOSIGNAL);
	_exit(code == ENOENT ? CHILD_EXIT_MISSING : CHILD_EXIT_CANNOT);
}

static int change_user(const struct passwd *user)
{
	if (initgroups(user->pw_name, user->pw_gid) < 0 || setgid(user->pw_gid) < 0 ||
	    setuid(user->pw_uid) < 0)
		return -errno;
	return 0;
}

static int redirect(enum child_output output)
{
	int to = STDERR_FILENO;

	if (output == CHILD_OUTPUT_OURS)
		return 0;
	if (output == CHILD_OUTPUT_NOWHERE)
		to = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (to < 0 || dup2(to, STDOUT_FILENO) < 0 || dup2(to, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

int child_start(struct child *child, char *const argv[], const char *user, struct fathom_err *err)
{
	struct passwd *entry = NULL;
	int channel[2];
	pid_t pid;

	if (user) {
		errno = 0;
		entry = getpwnam(user);
		if (!entry)
			return err_set(err, errno ? -errno : -ENOENT, "there is no user '%s'",
				       user);
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0)
		return err_set_errno(err, -errno, "cannot make a channel to the command");
	pid = fork();
	if (pid < 0) {
		int r = -errno;

		close(channel[0]);
		close(channel[1]);
		return err_set_errno(err, r, "cannot start a process for '%s'", argv[0]);
	}
	if (pid == 0) {
		close(channel[0]);
		if ((entry && change_user(entry) < 0) || redirect(child->output) < 0)
			_exit(CHILD_EXIT_OURS);
		wait_and_become(channel[1], argv);
	}
	close(channel[1]);
	*child = (struct child){ .pid = pid, .channel = channel[0] };
	return 0;
}

static int send_fds(int channel, const int *fds, size_t n)
{
	union fd_message message = { 0 };
	char byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	if (n > FDS_MAX)
		return -E2BIG;
	if (n) {
		struct cmsghdr *head = &message.head;

		header.msg_control = &message;
		header.msg_controllen = CMSG_SPACE(n * sizeof(int));
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(head), fds, n * sizeof(int));
	}
	return sendmsg(channel, &header, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int child_go(struct child *child, const int *fds, size_t n, struct fathom_err *err)
{
	int r = send_fds(child->channel, fds, n), code;
	ssize_t got = 0;

	/* The channel closes when the program is executed. */
	if (r == 0)
		do
			got = recv(child->channel, &code, sizeof(code), 0);
		while (got < 0 && errno == EINTR);
	close(TAKE_FD(child->channel));
	if (r == 0 && got == 0)
		return 0;
	child_wait(child);
	if (r < 0 || got != sizeof(code))
		return err_set_errno(err, r < 0 ? r : -EIO, "the command's process has died");
	return err_set_errno(err, -code, "cannot run it");
}

bool child_ended(struct child *child)
{
	pid_t pid;

	if (!child->pid)
		return true;
	do
		pid = waitpid(child->pid, &child->status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid != 0)
		child->pid = 0;
	return child->pid == 0;
}

void child_wait(struct child *child)
{
	while (child->pid && waitpid(child->pid, &child->status, 0) < 0)
		if (errno != EINTR)
			break;
	child->pid = 0;
}

int child_exit_code(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		return 128 + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}

void child_done(struct child *child)
{
	if (child->channel < 0)
		return;
	close(TAKE_FD(child->channel));
	child_wait(child);
}
