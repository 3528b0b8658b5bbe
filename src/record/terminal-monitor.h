/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process between the terminal of the user and the one of the command. */
#ifndef FATHOM_RECORD_TERMINAL_MONITOR_H
#define FATHOM_RECORD_TERMINAL_MONITOR_H

#include <stdbool.h>
#include <sys/types.h>

/* From us to the monitor: we were continued in the background. In the foreground it is SIGCONT. */
#define MONITOR_BACKGROUND SIGUSR1

struct monitor {
	int outer; /* the user's terminal */
	int master; /* of the command's */
	int control; /* closed when the recorder is gone */
	pid_t command;
	pid_t job; /* the recorder's process group, which is stopped with the command */
	bool foreground;
};

/* Runs until the command has ended, and ends as that did. All signals that it takes have to be blocked. */
_Noreturn void monitor_run(struct monitor *monitor);

#endif
