/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom diff: compare two recordings, or two time ranges of one. */
#include "cli/kit/commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "actions/analysis/diff-run.h"
#include "actions/analysis/outlier.h"
#include "cli/report/report-options.h"

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_STRING(0, "outlier", "FUNCTION", struct diff_args, outlier,
		   "compare the slowest call of FUNCTION in one recording with a typical one"),
	OPT_NUMBER(0, "before", "N", struct diff_args, before,
		   "the first N files are from before the change, the others from after it "
		   "(default: 1 of 2 files)"),
	OPT_STRING('g', "below", "FUNCTION", struct diff_args, below,
		   "compare only calls of FUNCTION and their callees"),
	OPT_FLAG(0, "flat", struct diff_args, flat, "list all functions, without call paths"),
	OPT_FLAG(0, "syscalls", struct diff_args, syscalls, "compare only system calls"),
	OPT_NUMBER('d', "depth", "N", struct diff_args, depth, "show N levels of the call tree"),
	OPT_NUMBER('n', "rows", "N", struct diff_args, rows,
		   "show the N largest changes at each level"),
	OPT_FLAG('a', "all", struct diff_args, all,
		 "show all changes, even those below 1 % of the total time"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two recordings, or two time ranges of one",
	.description =
		"Compares the call trees of function_graph recordings, or of two time ranges of one "
		"(FILE@FROM..TO), and shows which functions and system calls are new, gone, slower or "
		"faster by more than the noise. Several runs on each side reveal smaller differences. "
		"With --outlier, compares the slowest call of a function with a typical one of the "
		"same recording, and shows the branch that explains the difference.",
	.operands = "BEFORE... AFTER...",
	.options = options,
	.args_size = sizeof(struct diff_args),
	.paged = true,
	.run = diff_run,
};
