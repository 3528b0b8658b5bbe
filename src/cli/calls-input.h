/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a trace file, for the commands that show them. */
#ifndef FATHOM_CLI_CALLS_INPUT_H
#define FATHOM_CLI_CALLS_INPUT_H

#include "analyze/calls-run.h"
#include "cli/command.h"
#include "cli/report-setup.h"

/* Zero-initialised is empty. */
struct calls_input {
	const char *path;
	struct report_setup setup;
	struct calls_run run;
	struct calls *calls;
	const struct call_tree *tree; /* of the calls */
};

/*
 * Reads the file @fd, which is taken over, as @args say; to be called inside the sandbox. A file
 * without calls is an error. 0 or a negative errno.
 */
int calls_input_read(struct calls_input *input, struct report_args *args, int fd, const char *path,
		     struct fathom_err *err);
/* Says on stderr what the numbers do not, unless quiet; the exit code. */
int calls_input_tell(const struct calls_input *input, const struct command *command);
void calls_input_done(struct calls_input *input);

#endif
