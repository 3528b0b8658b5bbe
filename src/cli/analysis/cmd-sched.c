/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom sched: show time on CPU and scheduling latency by task. */
#include "cli/kit/commands.h"

#include "actions/analysis/sched-run.h"
#include "cli/report/report-options.h"

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_CHOICE('s', "sort", "BY", SCHED_ORDERS, struct sched_args, order,
		   "sort order (default: run)"),
	OPT_FLAG(0, "cpus", struct sched_args, cpus, "show a row per CPU instead of per task"),
	OPT_FLAG(0, "hist", struct sched_args, histograms,
		 "also show histograms of delays and slices"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_sched = {
	.name = "sched",
	.summary = "show time on CPU and scheduling latency by task",
	.description =
		"Summarizes a recording with the events sched_switch and sched_waking: how long each "
		"task ran and in how many slices, how long it was runnable before it ran, migrations, "
		"voluntary context switches and preemptions.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct sched_args),
	.paged = true,
	.run = sched_run,
};
