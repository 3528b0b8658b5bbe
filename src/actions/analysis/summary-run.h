/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a recording and prints what was done in it: for `fathom run` and `fathom summary`. */
#ifndef FATHOM_ACTIONS_ANALYSIS_SUMMARY_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_SUMMARY_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

struct summary_options {
	const char *rules; /* names a file with phases; NULL: those of the program */
	bool raw; /* show times of system calls as measured */
};

/* Prints to @out. Enters the sandbox. An exit code or a negative errno. */
int summary_run(const struct action *action, struct report_args *args,
		const struct summary_options *options, const char *path, struct out *out,
		struct fathom_err *err);

#endif
