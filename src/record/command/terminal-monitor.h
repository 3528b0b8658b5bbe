/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The monitor process, which connects the terminal of the user to the one of the command: it copies
 * bytes between them and implements job control. For terminal.c.
 */
#ifndef FATHOM_RECORD_COMMAND_TERMINAL_MONITOR_H
#define FATHOM_RECORD_COMMAND_TERMINAL_MONITOR_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/*
 * Messages from the recorder to the monitor, a byte each. Signals would not do: the command is in
 * the monitor's session and may send it SIGCONT.
 */
enum monitor_word {
	MONITOR_FOREGROUND = 'f', /* the recorder was continued, in the foreground */
	MONITOR_BACKGROUND = 'b', /* the recorder was continued, in the background */
	MONITOR_WINDOW = 'w', /* the window size has changed */
};

struct monitor {
	int outer; /* descriptor of the user's terminal */
	struct termios before; /* its original settings */
	int master; /* descriptor of the command's terminal */
	int control; /* receives messages; closed when the recorder is gone */
	pid_t command;
	pid_t job; /* process group of the recorder, which stops together with the command */
	bool foreground;
	bool is_set; /* the command's terminal has the settings of the user's */
};

/* From now on, all input goes to the command, if we are in the foreground. */
void monitor_begin(const struct monitor *monitor);
/*
 * Runs until the command has exited, and then exits or dies as it did. All signals that it handles
 * must be blocked.
 */
_Noreturn void monitor_run(struct monitor *monitor);

#endif
