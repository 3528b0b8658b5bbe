/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/command/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/fds.h"
#include "base/mem.h"
#include "base/files/user.h"
#include "base/negative-errno.h"
#include "kernel/process/exec-stop.h"
#include "process/fd-message.h"
#include "record/command/command-path.h"
#include "record/command/terminal.h"

/* Orders to the waiting process. */
enum order {
	ORDER_GO, /* accompanied by the files to enable */
	ORDER_MEASURE, /* this and the following ones: plus enum syscall_kind */
};

/* Files that enable tracing, one for each instance. */
struct switches {
	int files[FD_MESSAGE_FILES_MAX];
	size_t n;
};

/* What to execute. Found before the process waits, to keep the search out of the trace. */
struct program {
	char path[PATH_MAX];
	char *const *argv;
	char **shell_argv; /* for a shell script without "#!", as in execvp() */
};

/* Returns 0 or a positive errno. */
static int program_find(struct program *program, char *const argv[])
{
	int r = command_path_find(argv[0], program->path, sizeof(program->path));
	size_t n = 0;

	if (r < 0)
		return -r;
	while (argv[n])
		n++;
	program->argv = argv;
	program->shell_argv = mem_zalloc(n + 2, sizeof(*program->shell_argv));
	if (!program->shell_argv)
		return ENOMEM;
	program->shell_argv[0] = (char *)(uintptr_t) "/bin/sh";
	program->shell_argv[1] = program->path;
	memcpy(program->shell_argv + 2, argv + 1, n * sizeof(*argv));
	return 0;
}

/*
 * Enables settings that the parent could not, and executes the command. Returns a positive errno.
 */
static int child_become(const struct program *program, const struct switches *switches)
{
	for (size_t i = 0; i < switches->n; i++)
		if (write(switches->files[i], "1", 1) < 0)
			return errno;
	execv(program->path, program->argv);
	if (errno == ENOEXEC)
		execv(program->shell_argv[0], program->shell_argv);
	return errno;
}

/* Executes orders until ORDER_GO. Returns false if the parent is gone. */
static bool wait_for_go(int channel, struct switches *ret_switches)
{
	for (;;) {
		struct syscall_time time;
		char order;

		if (fd_message_receive_files(channel, &order, 1, 0, ret_switches->files,
					     &ret_switches->n) != 1)
			return false;
		if (order == ORDER_GO)
			return true;
		time = syscall_time_measure((enum syscall_kind)(order - ORDER_MEASURE));
		if (send(channel, &time, sizeof(time), MSG_NOSIGNAL) != sizeof(time))
			return false;
	}
}

static _Noreturn void wait_and_become(int channel, char *const argv[])
{
	struct program program;
	struct switches switches;
	int code = program_find(&program, argv);

	if (!wait_for_go(channel, &switches))
		_exit(CHILD_EXIT_OURS);
	if (!code)
		code = child_become(&program, &switches);
	(void)!send(channel, &code, sizeof(code), MSG_NOSIGNAL);
	_exit(code == ENOENT ? CHILD_EXIT_MISSING : CHILD_EXIT_CANNOT);
}

/* The command inherits 0, 1 and 2 only; *@channel moves to 3, and is closed on exec. */
static int child_close_others(int *channel)
{
	int first = STDERR_FILENO + 1;

	if (*channel != first && dup3(*channel, first, O_CLOEXEC) < 0)
		return negative_errno();
	*channel = first;
	fds_close_from(first + 1);
	return 0;
}

/* Root's session keyring is not for other users. Without the right to create one, there is none. */
static int leave_keyring(void)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS &&
	    errno != EPERM)
		return negative_errno();
	return 0;
}

static int change_user(const struct user *user)
{
	int r = user_become(user);

	if (r == 0)
		r = leave_keyring();
	return r < 0 ? r : user_set_environment(user);
}

static int redirect(enum child_output output)
{
	int to = STDERR_FILENO;

	if (output == CHILD_OUTPUT_OURS)
		return 0;
	if (output == CHILD_OUTPUT_NOWHERE)
		to = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (to < 0 || dup2(to, STDOUT_FILENO) < 0 || dup2(to, STDERR_FILENO) < 0)
		return negative_errno();
	return 0;
}

/* Parameters of the process that becomes the command. */
struct beginning {
	char *const *argv;
	const struct user *user; /* NULL: keep ours */
	enum child_output output;
	int channel[2];
	bool is_apart;
};

static void child_begin(void *data)
{
	struct beginning *b = data;

	close(b->channel[0]);
	if (b->is_apart)
		setsid();
	if ((b->user && change_user(b->user) < 0) || redirect(b->output) < 0 ||
	    child_close_others(&b->channel[1]) < 0)
		_exit(CHILD_EXIT_OURS);
	wait_and_become(b->channel[1], b->argv);
}

/* Sets all of @child except for the channel. */
static int start_process(struct child *child, struct beginning *b, struct fathom_err *err)
{
	struct terminal terminal = TERMINAL_NONE;
	pid_t pid;
	int r;

	if (b->user && terminal_is_ours()) {
		r = terminal_start(&terminal, b->user, child_begin, b, err);
		if (r == 0)
			*child = (struct child){ .pid = terminal.command, .terminal = terminal };
		return r;
	}
	/*
	 * Otherwise it could open our terminal as /dev/tty and inject input for the shell that
	 * called us.
	 */
	b->is_apart = b->user && terminal_is_there();
	pid = fork();
	if (pid < 0)
		return err_set_errno(err, negative_errno(), "cannot start a process for '%s'",
				     b->argv[0]);
	if (pid == 0)
		child_begin(b);
	*child = (struct child){ .pid = pid, .terminal = TERMINAL_NONE, .is_apart = b->is_apart };
	return 0;
}

int child_start(struct child *child, char *const argv[], const char *user, struct fathom_err *err)
{
	struct beginning beginning = { .argv = argv, .output = child->output };
	struct user entry;
	int r = user ? user_find(user, &entry, err) : 0;

	if (r < 0)
		return r;
	if (user)
		beginning.user = &entry;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, beginning.channel) < 0)
		return err_set_errno(err, negative_errno(),
				     "cannot create a channel to the command");
	r = start_process(child, &beginning, err);
	close(beginning.channel[1]);
	if (r < 0)
		close(beginning.channel[0]);
	else
		child->channel = beginning.channel[0];
	return r;
}

static ssize_t child_receive(int channel, void *ret_answer, size_t size)
{
	ssize_t got;

	do
		got = recv(channel, ret_answer, size, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

int child_measure(struct child *child, enum syscall_kind kind, struct syscall_time *ret_time,
		  struct fathom_err *err)
{
	const char order = (char)(ORDER_MEASURE + kind);
	struct syscall_time time;

	if (send(child->channel, &order, 1, MSG_NOSIGNAL) != 1 ||
	    child_receive(child->channel, &time, sizeof(time)) != sizeof(time))
		return err_set_errno(err, -EIO, "the command's process died");
	/* Don't trust the process: it may belong to another user. */
	if (!(time.ns >= 0 && time.ns < 1e12 && time.mean_ns >= 0))
		return err_set_errno(err, -EBADMSG, "cannot measure system calls");
	*ret_time = time;
	return 0;
}

static int child_send_go(const struct child *child, const int *fds, size_t n)
{
	char order = ORDER_GO;

	return fd_message_send_files(child->channel, &(struct iovec){ &order, 1 }, 1, fds, n, 0);
}

/* Lets the process run up to its execve(), and enables tracing there. */
static int go_stopped(struct child *child, const struct exec_stop *stop, const int *fds, size_t n)
{
	int r = child_send_go(child, NULL, 0);

	/* A process that has exited has sent the reason. */
	if (!exec_stop_wait(stop))
		return r;
	if (r == 0 && child->switch_on)
		r = child->switch_on(child->data);
	for (size_t i = 0; i < n && r == 0; i++)
		if (write(fds[i], "1", 1) < 0)
			r = negative_errno();
	if (r < 0)
		child_signal(child, SIGKILL);
	exec_stop_end(stop);
	return r;
}

int child_go(struct child *child, const int *fds, size_t n, struct fathom_err *err)
{
	struct exec_stop stop;
	int code, r;
	ssize_t got = 0;

	/*
	 * If it cannot be stopped, it enables tracing itself, and the trace contains the last bit
	 * of that.
	 */
	if ((n || child->switch_on) &&
	    exec_stop_begin(&stop, child->pid, !child->terminal.monitor) == 0) {
		r = go_stopped(child, &stop, fds, n);
	} else {
		r = child->switch_on ? child->switch_on(child->data) : 0;
		r = r < 0 ? r : child_send_go(child, fds, n);
	}
	/* The channel is closed on exec. */
	if (r == 0)
		got = child_receive(child->channel, &code, sizeof(code));
	close(TAKE_FD(child->channel));
	if (r == 0 && got == 0)
		return 0;
	child_wait(child);
	if (r < 0 || got != sizeof(code))
		return err_set_errno(err, r < 0 ? r : -EIO, "the command's process died");
	return err_set_errno(err, -code, "cannot execute it");
}

/* Waits with @flags, and clears @pid if the process has exited. */
static void child_reap(struct child *child, int flags)
{
	pid_t pid;

	do
		pid = waitpid(child->terminal.monitor ? child->terminal.monitor : child->pid,
			      &child->status, flags);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return;
	child->pid = 0;
	if (child->terminal.monitor)
		terminal_end(&child->terminal);
}

bool child_ended(struct child *child)
{
	if (child->pid)
		child_reap(child, WNOHANG);
	return child->pid == 0;
}

void child_wait(struct child *child)
{
	if (child->pid)
		child_reap(child, 0);
}

void child_signal(const struct child *child, int number)
{
	/* Its PID may have been reused after the monitor reaped it, so use the pidfd. */
	if (child->pid && child->terminal.monitor)
		syscall(SYS_pidfd_send_signal, child->terminal.pidfd, number, NULL, 0);
	else if (child->pid)
		kill(child->pid, number);
}

void child_pass_on(const struct child *child, int number)
{
	if (number != SIGINT || child->is_apart)
		child_signal(child, number);
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
