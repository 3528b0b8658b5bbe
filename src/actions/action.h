/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actions: what commands do between their options and their screen. Whoever wants one done fills a struct action
 * and calls a function of actions/: the program from a command line, a test from C. An action owns
 * nothing of its caller's, writes nowhere but to @out and @messages, and asks through @ask alone.
 */
#ifndef FATHOM_ACTIONS_ACTION_H
#define FATHOM_ACTIONS_ACTION_H

#include <stdbool.h>
#include <stdio.h>

#include <fathom/err.h>

#include "render/kit/out.h"

/* What actions return, and the program exits with. What others mean, the man page of a command says. */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_EMPTY = 123, /* of commands that record: nothing was recorded; 124 is timeout(1)'s */
	EXIT_NOT_RUN =
		125, /* of commands that run another one: a failure that is not the other's */
};

struct action {
	const char *name; /* of the command, for messages: "record" */
	bool runs_command; /* its failures are not to be taken for those of the command that it runs */
	void *args; /* what is wanted: a struct that the action defines */
	int argc; /* what it is done to: files, names, or the words of a command */
	char **argv;
	struct out *out; /* gets the answer */
	FILE *messages; /* gets what has to be said beside it: "fathom NAME: ...", whole lines */
	/*
	 * Waits for the answer to a yes-or-no question that is the last in @messages, which are flushed. A signal in the
	 * signalfd @signals, which may be -1, is a no. NULL: nobody can be asked.
	 */
	bool (*ask)(int signals);
};

/* Says what failed; returns EXIT_FAILED, or EXIT_NOT_RUN. */
int action_failed(const struct action *action, const struct fathom_err *err);
/* Says what is wrong with @args or @argv, and where to read how they are written; EXIT_USAGE, or EXIT_NOT_RUN. */
int action_usage_error(const struct action *action, const struct fathom_err *err);
/* For commands without operands: 0, or -EINVAL with a message that names the first one. */
int action_takes_no_operands(const struct action *action, struct fathom_err *err);

#endif
