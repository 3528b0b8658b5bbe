/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/command/terminal-monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PIECE 4096
#define REST_MAX \
	64 /* pieces that are carried after the end of the command: more than a terminal holds */

/* Input that the command's terminal has not accepted yet. */
struct typed {
	char bytes[1024];
	size_t n;
};

static void write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		bytes += done;
		n -= (size_t)done;
	}
}

/* In raw mode, all input goes to the command's terminal, which interprets Ctrl-C. */
void monitor_begin(const struct monitor *m)
{
	struct termios raw = m->before;

	cfmakeraw(&raw);
	if (m->foreground)
		tcsetattr(m->outer, TCSADRAIN, &raw);
}

/* In the background, the terminal belongs to the shell, which sets it. */
static void terminal_monitor_restore(const struct monitor *m)
{
	if (m->foreground)
		tcsetattr(m->outer, TCSADRAIN, &m->before);
}

static void copy_size(const struct monitor *m)
{
	struct winsize size;

	if (ioctl(m->outer, TIOCGWINSZ, &size) == 0)
		ioctl(m->master, TIOCSWINSZ, &size);
}

/* Copies output of the command. Returns false if there is none at present. */
static bool take_output(const struct monitor *m)
{
	char bytes[PIECE];
	ssize_t n = read(m->master, bytes, sizeof(bytes));

	if (n > 0)
		write_all(m->outer, bytes, (size_t)n);
	return n > 0;
}

static void give_input(const struct monitor *m, struct typed *typed)
{
	ssize_t n = write(m->master, typed->bytes, typed->n);

	/* If the terminal is gone, the input is discarded. */
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	for (size_t i = 0; n > 0 && i + (size_t)n < typed->n; i++)
		typed->bytes[i] = typed->bytes[i + (size_t)n];
	typed->n = n > 0 ? typed->n - (size_t)n : 0;
}

static _Noreturn void terminal_monitor_end_as(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t all;
	int number = WTERMSIG(status);

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	raise(number);
	_exit(128 + number);
}

static void look_after_command(struct monitor *m)
{
	int status;

	if (waitpid(m->command, &status, WNOHANG | WUNTRACED) != m->command)
		return;
	if (!WIFSTOPPED(status)) {
		/* Limited, because processes that the command left running may write forever. */
		for (int i = 0; i < REST_MAX && take_output(m); i++)
			;
		terminal_monitor_restore(m);
		terminal_monitor_end_as(status);
	}
	terminal_monitor_restore(m);
	m->foreground = false;
	/* As if the user's terminal had stopped the whole job. */
	kill(-m->job, SIGTSTP);
}

static void terminal_monitor_go_on(struct monitor *m, bool foreground)
{
	if (foreground && !m->foreground)
		tcgetattr(m->outer, &m->before);
	/* A command started in the background has the settings that the shell uses for itself. */
	if (foreground && !m->is_set)
		tcsetattr(m->master, TCSANOW, &m->before);
	m->is_set |= foreground;
	m->foreground = foreground;
	monitor_begin(m);
	copy_size(m);
	kill(-m->command, SIGCONT);
}

static void take_signal(struct monitor *m, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) == sizeof(info))
		look_after_command(m);
}

/* Returns false if the recorder is gone. */
static bool take_word(struct monitor *m)
{
	char word;
	ssize_t n = recv(m->control, &word, 1, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	if (word == MONITOR_WINDOW)
		copy_size(m);
	else
		terminal_monitor_go_on(m, word == MONITOR_FOREGROUND);
	return true;
}

static _Noreturn void terminal_monitor_give_up(const struct monitor *m)
{
	terminal_monitor_restore(m);
	_exit(125);
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

_Noreturn void monitor_run(struct monitor *m)
{
	struct typed typed = { .n = 0 };
	int signals = open_signals();

	fcntl(m->master, F_SETFL, O_RDWR | O_NONBLOCK);
	if (signals < 0)
		terminal_monitor_give_up(m);
	for (bool open = true;;) {
		struct pollfd fds[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = m->control, .events = POLLIN },
			{ .fd = open ? m->master : -1,
			  .events = (short)(POLLIN | (typed.n ? POLLOUT : 0)) },
			{ .fd = m->foreground && !typed.n ? m->outer : -1, .events = POLLIN },
		};

		poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
		if (fds[2].revents & POLLOUT)
			give_input(m, &typed);
		/*
		 * An error means that no process has the terminal open, not that the command has
		 * exited.
		 */
		if (fds[2].revents & (POLLIN | POLLHUP | POLLERR))
			open = take_output(m) || errno == EAGAIN || errno == EINTR;
		if (fds[3].revents) {
			ssize_t n = read(m->outer, typed.bytes, sizeof(typed.bytes));

			typed.n = n > 0 ? (size_t)n : 0;
			m->foreground = n > 0;
		}
		if (fds[0].revents)
			take_signal(m, signals);
		if (fds[1].revents && !take_word(m))
			terminal_monitor_give_up(m);
	}
}
