/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A private terminal for a command that runs as another user: in ours, it could inject input for
 * the shell that called us (TIOCSTI). A monitor process leads the session of that terminal, is the
 * parent of the command, copies bytes between the two terminals, and exits as the command does. Job
 * control works as in a single terminal. At most one exists at a time.
 */
#ifndef FATHOM_RECORD_COMMAND_TERMINAL_H
#define FATHOM_RECORD_COMMAND_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/files/user.h"

struct terminal {
	pid_t monitor; /* process to be reaped instead of the command */
	pid_t command;
	int control; /* to the monitor, which exits when this is closed */
	int pidfd; /* of the command */
};

#define TERMINAL_NONE                       \
	(struct terminal)                   \
	{                                   \
		.control = -1, .pidfd = -1, \
	}

/* Returns whether we have a controlling terminal, regardless of the standard descriptors. */
bool terminal_is_there(void);
/* Returns whether one of the standard descriptors is a terminal, and we have a controlling one. */
bool terminal_is_ours(void);
/*
 * Starts the monitor and the command's process, in which @become runs and does not return. Its
 * standard descriptors that were terminals are the private one. Installs handlers of SIGWINCH and
 * SIGCONT, which notify the monitor. Returns 0 or a negative errno.
 */
int terminal_start(struct terminal *terminal, const struct user *user, void (*become)(void *data),
		   void *data, struct fathom_err *err);
/* Closes the descriptors. To be called after the monitor was reaped. */
void terminal_end(struct terminal *terminal);

#endif
