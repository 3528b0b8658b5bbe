/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command that is recorded. Its process is made first and waits; when all is set up
 * it switches tracing on by itself and becomes the command, so that the trace begins there.
 */
#ifndef FATHOM_RECORD_COMMAND_H
#define FATHOM_RECORD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

/* Exit codes as env(1) has them. */
enum {
	COMMAND_EXIT_OURS = 125, /* we failed, not the command */
	COMMAND_EXIT_CANNOT = 126, /* found, but cannot be run */
	COMMAND_EXIT_MISSING = 127,
};

struct command {
	pid_t pid; /* 0: there is none, or it was waited for */
	int channel; /* to the process while it waits; -1 afterwards */
	int status; /* of wait(), once it has ended */
};

#define COMMAND_NONE           \
	{                      \
		.channel = -1, \
	}

/* Call it before there are threads, or signals treated otherwise. @user is a name, or NULL for the one who we are. */
int command_start(struct command *command, char *const argv[], const char *user,
		  struct fathom_err *err);
/*
 * Lets it go: "1" is written to each of @fds, which may be tracing_on files, and the
 * program is executed. A negative errno when there is no such program and the like; the
 * process has ended then.
 */
int command_go(struct command *command, const int *fds, size_t n, struct fathom_err *err);
/* Has it ended? */
bool command_ended(struct command *command);
/* Waits for the end. */
void command_wait(struct command *command);
/* What a shell would say: the exit code, or 128 and the signal. */
int command_exit_code(const struct command *command);
/* Ends a process that was not let go; one that was goes on. */
void command_done(struct command *command);

#define _cleanup_command_ __attribute__((cleanup(command_done)))

#endif
