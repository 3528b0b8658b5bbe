/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stats: how often, how long, and which was the slowest. */
#include "cli/kit/commands.h"

#include "actions/analysis/stats-run.h"
#include "cli/report/report-options.h"

#define BYS "event function syscall task cpu"

#define ORDERS "auto total own count max name"

static const struct option_def options[] = {
	OPT_CHOICE('b', "by", "WHAT", BYS, struct stats_args, by,
		   "one row per event, function, system call, task or CPU"),
	OPT_STRING(0, "hist", "NAME", struct stats_args, histogram,
		   "how long this function or system call took: a histogram, and the slowest"),
	OPT_FLAG(0, "linear", struct stats_args, linear,
		 "with --hist: rows of the same width, not doubling"),
	OPT_FLAG('l', "long", struct stats_args, with_times,
		 "by function or system call: also show when, and the rate"),
	OPT_CHOICE('s', "sort", "BY", ORDERS, struct stats_args, order,
		   "which come first: those with the largest total, own, count or max, or by "
		   "name; auto is the total where there are times, else the count"),
	OPT_NUMBER('n', "rows", "N", struct stats_args, rows, "show the N first"),
	REPORT_SELECT_OPTIONS,
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_stats = {
	.name = "stats",
	.summary = "show how often, how long, and which was the slowest",
	.description =
		"Counts the events of a recording, or what they tell: functions, system calls, tasks, "
		"CPUs. What has a beginning and an end has times as well: in all, its own, the "
		"shortest, the median, and the longest; --hist shows how they are spread.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct stats_args),
	.paged = true,
	.run = stats_run,
};
