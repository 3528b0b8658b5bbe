/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a recording and prints what was done in it: for `fathom run` and `fathom summary`. */
#ifndef FATHOM_CLI_SUMMARY_RUN_H
#define FATHOM_CLI_SUMMARY_RUN_H

#include "cli/command.h"
#include "cli/report-args.h"

/* Prints to @out; @rules names a file with phases, NULL: those of the program. Enters the sandbox.
 * An exit code or a negative errno. */
int summary_run(const struct invocation *invocation, struct report_args *args, const char *rules,
		const char *path, struct out *out, struct fathom_err *err);

#endif
