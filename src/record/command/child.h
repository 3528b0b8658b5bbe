/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command that is recorded. Its process is made first and waits; when all is set up it becomes the command,
 * and tracing is switched on while it is stopped at the entry of execve(): the trace begins there.
 */
#ifndef FATHOM_RECORD_COMMAND_CHILD_H
#define FATHOM_RECORD_COMMAND_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "record/price/syscall-time.h"
#include "record/command/terminal.h"

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
	struct terminal terminal; /* of its own: its monitor is waited for in place of the command */
	int channel; /* to the process while it waits; -1 afterwards */
	bool is_apart; /* in a session of its own, without a terminal */
	int status; /* of wait(), once it has ended */
	enum child_output output; /* for child_start() */
	/* Between child_start() and child_go(): switches on what is no file. 0 or a negative errno. NULL: nothing */
	int (*switch_on)(void *data);
	void *data; /* for switch_on() */
};

#define CHILD_NONE                                        \
	{                                                 \
		.channel = -1, .terminal = TERMINAL_NONE, \
	}

/*
 * Call it before there are threads, or signals treated otherwise. @user is a name, or NULL for the one who we are. As
 * another user it gets a terminal of its own where a standard descriptor is ours, else none, a session keyring of its own, no capabilities, and that user's HOME,
 * USER, LOGNAME and SHELL. What a program with the setuid bit gains it can gain all the same.
 */
int child_start(struct child *child, char *const argv[], const char *user, struct fathom_err *err);
/*
 * Measures system calls in the process while it waits: traced, when it is called while tracing is on. A negative errno
 * when the process has died.
 */
int child_measure(struct child *child, enum syscall_kind kind, struct syscall_time *ret_time,
		  struct fathom_err *err);
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
/* Sends it a signal, if it has not ended. */
void child_signal(const struct child *child, int number);
/* The same with a signal that came to us. One from the terminal has come to the command as well. */
void child_pass_on(const struct child *child, int number);
/* What a shell would say: the exit code, or 128 and the signal. */
int child_exit_code(const struct child *child);
/* Ends a process that was not let go; one that was goes on. */
void child_done(struct child *child);

#define _cleanup_child_ __attribute__((cleanup(child_done)))

#endif
