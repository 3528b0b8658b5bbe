/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom sched: show time on CPU and scheduling latency by task. */
#include "cli/kit/commands.h"

#include "actions/analysis/states-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "cli/report/report-options.h"
#include "render/waits/sched.h"

struct sched_args {
	struct report_args report; /* must be first */
	unsigned order;
	bool cpus, histograms;
};

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

static int cmd_sched_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct sched_args *args = action->args;
	_cleanup_(sched_done) struct sched sched = { 0 };
	_cleanup_(states_input_done) struct states_input input = { .take = sched_take,
								   .data = &sched };
	struct sched_view view = { .sched = &sched,
				   .states = &input.states,
				   .order = (enum sched_order)args->order,
				   .cpus = args->cpus,
				   .histograms = args->histograms };
	int r = states_input_read(&input, &args->report, path, err);

	if (r == 0)
		r = states_input_complete(&input, action->out, err);
	if (r < 0)
		return r;
	if (sched.nomem || REPORT_PRINT(&args->report, sched, &view, action->out) < 0)
		return err_nomem(err);
	return analysis_input_report(&input.input, action);
}

static int cmd_sched_run(const struct action *action)
{
	return analysis_run(action, cmd_sched_work);
}

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
	.run = cmd_sched_run,
};
