/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom diff: what differs between recordings from before and after a change, or between a slow call and a usual one. */
#include "cli/kit/commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "actions/analysis/diff-run.h"
#include "actions/analysis/outlier.h"
#include "cli/report/report-options.h"

static const struct option_def options[] = {
	OPT_STRING(0, "outlier", "FUNCTION", struct diff_args, outlier,
		   "of one recording: the slowest call of this function beside a usual one"),
	OPT_NUMBER('b', "before", "N", struct diff_args, before,
		   "the first N files are runs from before the change, the others from after it "
		   "(default: 1 of 2 files)"),
	OPT_STRING('g', "below", "FUNCTION", struct diff_args, below,
		   "only what is below this function, wherever it was called"),
	OPT_FLAG(0, "flat", struct diff_args, flat, "all functions side by side, without callers"),
	OPT_FLAG(0, "syscalls", struct diff_args, syscalls, "only the system calls"),
	OPT_NUMBER('d', "depth", "N", struct diff_args, depth, "show N levels"),
	OPT_NUMBER('n', "rows", "N", struct diff_args, rows,
		   "show the N largest changes at each level"),
	OPT_FLAG('a', "all", struct diff_args, all,
		 "show all changes; those below 1 % of all time are folded otherwise"),
	REPORT_SELECT_OPTIONS,
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_diff = {
	.name = "diff",
	.summary = "show what takes longer in one recording than in another",
	.description =
		"Lays the trees of calls of recordings with the tracer function_graph, or of two "
		"times of one (FILE@FROM..TO), on one another and shows what is new, gone, slower or "
		"faster by more than noise; and the same of their system calls. With several runs "
		"on each side smaller differences are found. With --outlier it compares "
		"the slowest call of a function with a usual one of the same recording, and tells "
		"which branch explains the difference.",
	.operands = "BEFORE... AFTER...",
	.options = options,
	.args_size = sizeof(struct diff_args),
	.paged = true,
	.run = diff_run,
};
