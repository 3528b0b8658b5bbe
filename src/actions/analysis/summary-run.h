/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Summarizes a recording, for 'fathom run' and 'fathom summary'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_SUMMARY_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_SUMMARY_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "base/files/new-file.h"

struct summary_options {
	const char *rules; /* file with phase rules; NULL: the built-in rules */
	bool raw; /* show system call times as measured */
	unsigned table; /* with --csv, see SUMMARY_TABLES */
};

/* Prints to @out. Enters the sandbox. Returns an exit status or a negative errno. */
int summary_run(const struct action *action, struct report_args *args,
		const struct summary_options *options, const char *path, struct out *out,
		struct fathom_err *err);
/*
 * The same to @file, in a child process. Errors are reported. Returns an exit code or, if a signal
 * ended the child, its negative number; see child_write().
 */
int summary_run_to_file(const struct action *action, struct report_args *args,
			const struct summary_options *options, const char *path,
			struct new_file *file);

#endif
