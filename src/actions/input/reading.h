/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens while a command reads recordings, which can take long: a line on the terminal shows how far it is, and
 * Ctrl-C ends the reading, so that the command shows the result up to there. A second Ctrl-C ends the process.
 *
 * There is one reading at a time, because signals are those of the process. All recordings that trace_input_read() opens
 * between reading_begin() and reading_end() are part of it.
 */
#ifndef FATHOM_ACTIONS_INPUT_READING_H
#define FATHOM_ACTIONS_INPUT_READING_H

#include <stdbool.h>

#include <fathom/cursor.h>
#include <fathom/err.h>
#include <fathom/trace.h>

#include "actions/action.h"

enum reading_flags {
	READING_QUIET = 1, /* show no progress */
	READING_WHOLE = 2, /* part of the result is useless: signals end the process as usual */
};

/*
 * First does what the sandbox forbids. Does nothing more than reading_end() if memory is exhausted.
 */
void reading_begin(const struct action *action, unsigned flags);
/*
 * The command prints while it reads. No progress is shown unless the output goes to a file: on a terminal and in a pipe,
 * which may end there, the line and the output would be mixed up. With a pipe, signals end the process as usual, because
 * it may be waiting for the other end to read.
 */
void reading_prints(const struct out *out);
/* Makes the trace part of the reading, if there is one. Returns 0 or -ENOMEM. */
int reading_watch(struct fathom_trace *trace, const char *path);
/* Limits what counts as the whole of the trace to @window, which must remain valid. */
void reading_limit(struct fathom_trace *trace, const struct fathom_window *window);
/* The symbols in the file @name are read next: shows that if a line is due. Some files take seconds. */
void reading_loads(const char *name);
/* All was read: erases the line before the result is printed, and lets signals end the process. */
void reading_finish(void);
/*
 * Says how much of the trace was read if reading was interrupted, unless @quiet. Returns the exit status, or EXIT_OK if
 * all was read.
 */
int reading_report(const struct action *action, const struct fathom_trace *trace, bool quiet);
/*
 * Like action_failed(). If reading was interrupted, which may be the reason for the error, says so and returns that exit
 * status.
 */
int reading_failed(const struct action *action, struct fathom_err *err);
void reading_end(void);

#endif
