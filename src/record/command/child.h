/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command that is recorded. Its process is created first, before there are threads, and waits.
 * When tracing is set up, it executes the command, and tracing is enabled while it is stopped at
 * the entry of execve(), where the trace starts.
 *
 * One thread only: stopping uses ptrace(2). Functions return 0 or a negative errno. child_done()
 * does not wait for a command that was started; call child_wait().
 */
#ifndef FATHOM_RECORD_COMMAND_CHILD_H
#define FATHOM_RECORD_COMMAND_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "record/price/syscall-time.h"
#include "record/command/terminal.h"

/* Exit codes, as those of env(1). */
enum {
	CHILD_EXIT_OURS = 125, /* fathom failed, not the command */
	CHILD_EXIT_CANNOT = 126, /* found, but cannot be run */
	CHILD_EXIT_MISSING = 127,
};

/* Where the output of the command goes. */
enum child_output {
	CHILD_OUTPUT_OURS,
	CHILD_OUTPUT_STDERR, /* also its standard output */
	CHILD_OUTPUT_NOWHERE,
};

struct child {
	pid_t pid; /* 0: no process, or it was reaped */
	struct terminal terminal; /* its private terminal; then the monitor is reaped instead */
	int channel; /* to the process while it waits; -1: none */
	bool is_apart; /* in a session of its own, without a terminal */
	int status; /* of waitpid(2), after it has exited */
	enum child_output output; /* set before child_start() */
	/*
	 * Set after child_start(): enables tracing that is not controlled by a file. Returns 0 or a
	 * negative errno. May be NULL.
	 */
	int (*switch_on)(void *data);
	void *data; /* for switch_on() */
};

#define CHILD_NONE                                        \
	{                                                 \
		.channel = -1, .terminal = TERMINAL_NONE, \
	}

/*
 * Starts the process. Must be called before there are threads, and before signal dispositions
 * change. @user is a user name, or NULL to keep ours. A different user gets a session keyring of
 * its own, no capabilities, and HOME, USER, LOGNAME and SHELL of that user; and a private terminal
 * if a standard descriptor is our terminal, or none otherwise. Setuid programs can still gain
 * privileges. Overwrites all fields of @child; @output is used.
 */
int child_start(struct child *child, char *const argv[], const char *user, struct fathom_err *err);
/*
 * Measures system calls in the waiting process, which are traced if tracing is on. Fails if the
 * process has died.
 */
int child_measure(struct child *child, enum syscall_kind kind, struct syscall_time *ret_time,
		  struct fathom_err *err);
/*
 * Executes the command, and enables tracing: writes "1" to each of @fds, for example tracing_on
 * files, and calls switch_on(). If the command cannot be executed or tracing cannot be enabled, the
 * process has exited and was reaped.
 */
int child_go(struct child *child, const int *fds, size_t n, struct fathom_err *err);
/* Returns whether it has exited, and reaps it. */
bool child_ended(struct child *child);
/* Waits until it exits. */
void child_wait(struct child *child);
/* Sends a signal, unless it was reaped. */
void child_signal(const struct child *child, int number);
/*
 * Forwards a signal that we received. Ctrl-C on a shared terminal has reached the command already.
 */
void child_pass_on(const struct child *child, int number);
/*
 * Returns the exit code as shells do: that of the command, or 128 plus the signal number. To be
 * called after it was reaped.
 */
int child_exit_code(const struct child *child);
/* Ends a process that still waits; a command that runs continues. */
void child_done(struct child *child);

#define _cleanup_child_ __attribute__((cleanup(child_done)))

#endif
