/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A terminal of its own for a command that runs as another user: in ours it could type into the shell of the one who
 * called us (TIOCSTI). A monitor process leads the session of that terminal, is the command's parent, carries
 * bytes between the two terminals, and ends as the command ends. Job control works as in one terminal.
 */
#ifndef FATHOM_RECORD_COMMAND_TERMINAL_H
#define FATHOM_RECORD_COMMAND_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/files/user.h"

struct terminal {
	pid_t monitor; /* to be waited for in place of the command */
	pid_t command;
	int control; /* the monitor gives up when it is closed */
	int pidfd; /* of the command */
};

#define TERMINAL_NONE                       \
	(struct terminal)                   \
	{                                   \
		.control = -1, .pidfd = -1, \
	}

/* Have we a terminal, whatever the standard descriptors are? */
bool terminal_is_there(void);
/* Is one of the standard descriptors our terminal? */
bool terminal_is_ours(void);
/*
 * Starts both: @become runs in the command's process, where the standard descriptors that were a terminal are the new one,
 * and does not return. 0 or a negative errno. Window changes and continuing are passed on by signal handlers.
 */
int terminal_start(struct terminal *terminal, const struct user *user, void (*become)(void *data),
		   void *data, struct fathom_err *err);
/* Once the monitor was waited for. */
void terminal_end(struct terminal *terminal);

#endif
