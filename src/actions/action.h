/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actions: what commands do between option parsing and output. The caller, the program or a test,
 * fills a struct action and calls a function of actions/. An action owns nothing of its caller,
 * writes only to @out and @messages, and asks only through @ask.
 */
#ifndef FATHOM_ACTIONS_ACTION_H
#define FATHOM_ACTIONS_ACTION_H

#include <stdbool.h>
#include <stdio.h>

#include <fathom/err.h>

#include "render/kit/out.h"

/* Return values of actions, which are the exit status of the program. Man pages document others. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_SIGNAL = 128, /* plus the number of the signal that ended reading early */
	EXIT_EMPTY = 123, /* nothing was recorded; 124 is timeout(1)'s */
	EXIT_NOT_RUN = 125, /* from commands that run another one: our own failure */
};

struct action {
	const char *name; /* name of the command, for messages: "record" */
	bool runs_command; /* returns the exit status of another command, or EXIT_NOT_RUN */
	void *args; /* a struct that the action defines */
	int argc; /* operands: files, names, or a command with its arguments */
	char **argv;
	struct out *out; /* for the result */
	FILE *messages; /* for messages: whole lines, "fathom NAME: ..." */
	/*
	 * Returns the answer to the yes-or-no question written last to @messages, which it flushes.
	 * A signal in the signalfd @signals, which may be -1, counts as no. NULL: cannot ask.
	 */
	bool (*ask)(int signals);
	bool is_attended; /* a person sees @messages or can press Ctrl-C */
};

/* Prints the error. Returns EXIT_FAILED or EXIT_NOT_RUN. */
int action_failed(const struct action *action, const struct fathom_err *err);
/*
 * Prints the error in @args or @argv, and a hint to -h. Returns EXIT_USAGE or EXIT_NOT_RUN.
 */
int action_usage_error(const struct action *action, const struct fathom_err *err);
/*
 * For commands without operands: returns 0, or -EINVAL with a message that names the first operand.
 */
int action_takes_no_operands(const struct action *action, struct fathom_err *err);
/* Returns 0, or -EINVAL with a message if both --json and --csv were given. */
int action_one_format(bool json, bool csv, struct fathom_err *err);

#endif
