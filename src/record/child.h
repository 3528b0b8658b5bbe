/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command that is recorded. Its process is made first and waits; when all is set up
 * it switches tracing on by itself and becomes the command, so that the trace begins there.
 */
#ifndef FATHOM_RECORD_CHILD_H
#define FATHOM_RECORD_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

/* Exit codes as env(1) has them. */
enum {
	CHILD_EXIT_OURS = 125, /* we failed, not the command */
	CHILD_EXIT_CANNOT = 126, /* found, but cannot be run */
	CHILD_EXIT_MISSING = 127,
};

/* Where what it writes goes. */
enum child_output {
	CHILD_OUTPUT_OURS,
	CHILD_OUTPUT_STDERR, /* also what it writes to its standard output */
	CHILD_OUTPUT_NOWHERE,
};

struct child {
	pid_t pid; /* 0: there is none, or it was waited for */
	int channel; /* to the process while it waits; -1 afterwards */
	int status; /* of wait(), once it has ended */
	enum child_output output; /* for child_start() */
};

#define CHILD_NONE             \
	{                      \
		.channel = -1, \
	}

/* Call it before there are threads, or signals treated otherwise. @user is a name, or NULL for the one who we are. */
int child_start(struct child *child, char *const argv[], const char *user, struct fathom_err *err);
/*
 * Lets it go: "1" is written to each of @fds, which may be tracing_on files, and the
 * program is executed. A negative errno when there is no such program and the like; the
 * process has ended then.
 */
int child_go(struct child *child, const int *fds, size_t n, struct fathom_err *err);
/* Has it ended? */
bool child_ended(struct child *child);
/* Waits for the end. */
void child_wait(struct child *child);
/* What a shell would say: the exit code, or 128 and the signal. */
int child_exit_code(const struct child *child);
/* Ends a process that was not let go; one that was goes on. */
void child_done(struct child *child);

#define _cleanup_child_ __attribute__((cleanup(child_done)))

#endif
