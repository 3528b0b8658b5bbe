/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/command/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/fds.h"
#include "base/negative-errno.h"
#include "record/command/terminal-monitor.h"

/* Descriptor numbers in the monitor. */
enum {
	MONITOR_OUTER = 3,
	MONITOR_CONTROL,
	MONITOR_MASTER
};

/* Data for signal handlers. */
static volatile sig_atomic_t recorder_pid, control_fd = -1, outer_fd = -1;

struct start {
	const struct user *user;
	void (*become)(void *data);
	void *data;
	int outer, control;
	struct termios settings; /* of the user's terminal */
	bool foreground;
	pid_t job;
	sigset_t mask; /* signal mask of the command */
};

bool terminal_is_there(void)
{
	_cleanup_close_ int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	return fd >= 0;
}

bool terminal_is_ours(void)
{
	return terminal_is_there() &&
	       (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO));
}

static void terminal_pass_on(int number)
{
	int saved = errno;
	char word = MONITOR_WINDOW;

	if (number == SIGCONT)
		word = tcgetpgrp(outer_fd) == getpgrp() ? MONITOR_FOREGROUND : MONITOR_BACKGROUND;
	/*
	 * Other processes of fathom inherit the handler, but the descriptor is a different file
	 * there.
	 */
	if (control_fd >= 0 && getpid() == recorder_pid)
		send(control_fd, &word, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	errno = saved;
}

/*
 * Opens the command's side, with the settings of the user's terminal. Returns a descriptor or a
 * negative errno.
 */
static int open_slave(const struct start *start, int master)
{
	struct winsize size;
	int slave;

	if (grantpt(master) < 0 || unlockpt(master) < 0)
		return negative_errno();
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return negative_errno();
	tcsetattr(slave, TCSANOW, &start->settings);
	if (ioctl(start->outer, TIOCGWINSZ, &size) == 0)
		ioctl(slave, TIOCSWINSZ, &size);
	if (fchown(slave, start->user->uid, (gid_t)-1) < 0 || ioctl(slave, TIOCSCTTY, 0) < 0) {
		int r = negative_errno();

		close(slave);
		return r;
	}
	return slave;
}

static _Noreturn void terminal_run_command(const struct start *start, int slave)
{
	setpgid(0, 0);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (isatty(fd) && dup2(slave, fd) < 0)
			_exit(125);
	signal(SIGTTOU, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &start->mask, NULL);
	start->become(start->data);
	_exit(125);
}

/* Closes all descriptors of the recorder: a reader of its output waits for their end of file. */
static int tidy_up(struct start *start, int *master)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int kept[] = { start->outer, start->control, *master };
	enum {
		FREE = 20
	};

	for (int i = 0; i < 3; i++)
		if (dup3(kept[i], FREE + i, O_CLOEXEC) < 0)
			return negative_errno();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	for (int i = 0; i < 3; i++)
		if (dup3(FREE + i, MONITOR_OUTER + i, O_CLOEXEC) < 0)
			return negative_errno();
	start->outer = MONITOR_OUTER;
	start->control = MONITOR_CONTROL;
	*master = MONITOR_MASTER;
	fds_close_from(MONITOR_MASTER + 1);
	return 0;
}

static _Noreturn void run_monitor(struct start *start)
{
	struct monitor monitor = { .job = start->job,
				   .foreground = start->foreground,
				   .is_set = start->foreground,
				   .before = start->settings };
	int master, slave;
	pid_t pid;

	prctl(PR_SET_NAME, "fathom-terminal");
	signal(SIGTTOU, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	setsid();
	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	slave = master < 0 ? -1 : open_slave(start, master);
	pid = slave < 0 ? -1 : fork();
	if (pid == 0)
		terminal_run_command(start, slave);
	if (pid < 0)
		_exit(125);
	setpgid(pid, pid);
	/* The command still waits, so it starts in the foreground. */
	if (tcsetpgrp(slave, pid) < 0 || tidy_up(start, &master) < 0) {
		kill(pid, SIGKILL);
		_exit(125);
	}
	monitor.outer = start->outer;
	monitor.master = master;
	monitor.control = start->control;
	monitor.command = pid;
	monitor_begin(&monitor);
	send(start->control, &pid, sizeof(pid), MSG_NOSIGNAL);
	monitor_run(&monitor);
}

/*
 * The kernel sends SIGWINCH and SIGCONT to our process group, but the monitor is in another
 * session.
 */
static void catch_signals(int control, int outer)
{
	struct sigaction action = { .sa_handler = terminal_pass_on, .sa_flags = SA_RESTART };

	recorder_pid = getpid();
	outer_fd = outer;
	control_fd = control;
	sigaction(SIGWINCH, &action, NULL);
	sigaction(SIGCONT, &action, NULL);
}

/*
 * Ctrl-Z typed before the monitor was ready is for the command; the monitor will stop us with it.
 */
static void pass_on_stop(pid_t command)
{
	sigset_t set;

	sigpending(&set);
	if (!sigismember(&set, SIGTSTP))
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigwaitinfo(&set, NULL);
	kill(-command, SIGTSTP);
}

int terminal_start(struct terminal *terminal, const struct user *user, void (*become)(void *data),
		   void *data, struct fathom_err *err)
{
	_cleanup_close_ int outer = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct start start = { .user = user, .become = become, .data = data, .outer = outer };
	int control[2], pidfd = -1;
	sigset_t all;
	pid_t pid, command;

	if (outer < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0)
		return err_set_errno(err, negative_errno(),
				     "cannot create a terminal for the command");
	start.control = control[1];
	start.job = getpgrp();
	/* If we were stopped in between, the shell would change the terminal settings. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &start.mask);
	start.foreground = tcgetpgrp(outer) == start.job;
	pid = tcgetattr(outer, &start.settings) < 0 ? -1 : fork();
	if (pid == 0)
		run_monitor(&start);
	close(control[1]);
	if (pid > 0 && recv(control[0], &command, sizeof(command), 0) == sizeof(command))
		pidfd = (int)syscall(SYS_pidfd_open, command, 0);
	if (pidfd >= 0) {
		catch_signals(control[0], TAKE_FD(outer));
		pass_on_stop(command);
		sigprocmask(SIG_SETMASK, &start.mask, NULL);
		*terminal = (struct terminal){ pid, command, control[0], pidfd };
		return 0;
	}
	close(control[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	sigprocmask(SIG_SETMASK, &start.mask, NULL);
	return err_set(err, -EIO, "cannot create a terminal for the command");
}

void terminal_end(struct terminal *terminal)
{
	int outer = outer_fd;

	control_fd = outer_fd = -1;
	close(outer);
	close(terminal->control);
	close(terminal->pidfd);
	*terminal = TERMINAL_NONE;
}
