/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stats: count events and show duration histograms. */
#include "cli/kit/commands.h"

#include "actions/analysis/stats-run.h"
#include "cli/report/report-options.h"
#include "render/time/stats.h"

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_CHOICE(0, "by", "WHAT", STATS_BYS, struct stats_args, by,
		   "show a row per event, function, system call, task or CPU (default: event)"),
	OPT_STRING(0, "hist", "NAME", struct stats_args, histogram,
		   "show a histogram and the slowest calls of this function or system call"),
	OPT_FLAG(0, "linear", struct stats_args, linear, "with --hist, use rows of equal width"),
	OPT_FLAG(0, "long", struct stats_args, with_times,
		 "by function or system call, also show the rate and times of calls"),
	OPT_CHOICE('s', "sort", "BY", STATS_ORDERS, struct stats_args, order,
		   "sort order; auto is total if there are durations, otherwise count (default: "
		   "auto)"),
	OPT_NUMBER('n', "rows", "N", struct stats_args, rows, "show only the first N rows"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_stats = {
	.name = "stats",
	.summary = "count events and show duration histograms",
	.description =
		"Counts the events of a recording by name, function, system call, task or CPU. "
		"Functions and system calls also have durations: total, self, minimum, median, 99th "
		"percentile and maximum. --hist shows their distribution.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct stats_args),
	.paged = true,
	.run = stats_run,
};
