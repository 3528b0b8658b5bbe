/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace file for the commands that analyze it, and its calls for those that show them. */
#ifndef FATHOM_CLI_ANALYSIS_INPUT_H
#define FATHOM_CLI_ANALYSIS_INPUT_H

#include "analyze/calls.h"
#include "analyze/feed.h"
#include "cli/command.h"
#include "cli/report-setup.h"

/* Zero-initialised is empty. */
struct analysis_input {
	const char *path;
	struct report_setup setup;
	struct feed feed;
};

/*
 * What all commands do that answer with one file's analysis: looks at the words, calls @work
 * with the file's name. The exit code; @work returns one, too, or a negative errno.
 */
typedef int analysis_work(const struct invocation *invocation, const char *path,
			  struct fathom_err *err);
int analysis_run(const struct invocation *invocation, analysis_work *work);
/* Opens the file and enters the sandbox. A file descriptor or a negative errno. */
int analysis_input_enter(const char *path, struct fathom_err *err);

/*
 * Reads the file @fd, which is taken over, as @args say; to be called inside the sandbox. 0 or a
 * negative errno.
 */
int analysis_input_open(struct analysis_input *input, struct report_args *args, int fd,
			const char *path, struct fathom_err *err);
/* Says on stderr what the numbers do not, unless quiet; the exit code. */
int analysis_input_tell(const struct analysis_input *input, const struct command *command);
void analysis_input_done(struct analysis_input *input);

struct calls_input {
	struct analysis_input input;
	struct calls *calls;
	const struct call_tree *tree; /* of the calls */
};

/* The same, and reads its calls. A file without calls is an error. */
int calls_input_read(struct calls_input *input, struct report_args *args, int fd, const char *path,
		     struct fathom_err *err);
void calls_input_done(struct calls_input *input);

#endif
