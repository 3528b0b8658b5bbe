/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"

bool ask_is_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool ask_is_attended(void)
{
	return isatty(STDIN_FILENO) || isatty(STDERR_FILENO);
}

static bool is_interrupted(int signals)
{
	struct signalfd_siginfo info;
	bool yes = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		yes |= info.ssi_signo != SIGCHLD;
	return yes;
}

bool ask_answer(int signals)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = signals, .events = POLLIN } };
	char answer[64];
	ssize_t n;

	do {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents && is_interrupted(signals))
			return false;
	} while (!fds[0].revents);
	n = read(STDIN_FILENO, answer, sizeof(answer));
	return n > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}
