/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process between the terminal of the user and the one of the command. */
#ifndef FATHOM_RECORD_COMMAND_TERMINAL_MONITOR_H
#define FATHOM_RECORD_COMMAND_TERMINAL_MONITOR_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/* From the recorder to the monitor, a byte each. No signals: the command is in the monitor's session and may send it SIGCONT. */
enum monitor_word {
	MONITOR_FOREGROUND = 'f', /* the recorder was continued, and has the user's terminal */
	MONITOR_BACKGROUND = 'b', /* the same without the terminal */
	MONITOR_WINDOW = 'w', /* the size of the window has changed */
};

struct monitor {
	int outer; /* the user's terminal */
	struct termios before; /* as that was set */
	int master; /* of the command's */
	int control; /* takes words; closed when the recorder is gone */
	pid_t command;
	pid_t job; /* the recorder's process group, which is stopped with the command */
	bool foreground;
	bool is_set; /* the command's terminal is set as the user's was */
};

/* From now on all that is typed is for the command, if we are in the foreground. */
void monitor_begin(const struct monitor *monitor);
/* Runs until the command has ended, and ends as that did. All signals that it takes have to be blocked. */
_Noreturn void monitor_run(struct monitor *monitor);

#endif
