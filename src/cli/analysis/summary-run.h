/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a recording and prints what was done in it: for `fathom run` and `fathom summary`. */
#ifndef FATHOM_CLI_ANALYSIS_SUMMARY_RUN_H
#define FATHOM_CLI_ANALYSIS_SUMMARY_RUN_H

#include "actions/action.h"
#include "cli/report/report-args.h"

struct summary_options {
	const char *rules; /* names a file with phases; NULL: those of the program */
	bool raw; /* show times of system calls as measured */
};

#define SUMMARY_OPTIONS(type, options)                                                \
	OPT_STRING(0, "phases", "FILE", type, options.rules,                          \
		   "name the kernel's functions by this file; see fathom-phases(5)"), \
		OPT_FLAG(0, "raw", type, options.raw,                                 \
			 "show times of system calls as measured, with the cost of tracing")

/* Prints to @out. Enters the sandbox. An exit code or a negative errno. */
int summary_run(const struct action *action, struct report_args *args,
		const struct summary_options *options, const char *path, struct out *out,
		struct fathom_err *err);

#endif
