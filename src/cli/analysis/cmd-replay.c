/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom replay: show what each task did, in time order. */
#include "cli/kit/commands.h"

#include <errno.h>

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/replay-run.h"
#include "actions/input/time-arg.h"
#include "base/err.h"
#include "cli/report/report-options.h"

static int cmd_replay_set_min(void *data, const char *value, struct fathom_err *err)
{
	struct replay_args *args = data;

	return time_arg_span(value, &args->min, err);
}

static int set_within(void *data, const char *value, struct fathom_err *err)
{
	struct replay_args *args = data;

	return time_arg_span(value, &args->within, err);
}

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_NUMBER('d', "depth", "N", struct replay_args, depth,
		   "show N levels of nested calls (default: 5)"),
	OPT_STRING('g', "below", "NAME", struct replay_args, below,
		   "show only calls of functions or system calls that match NAME, a glob"),
	OPT_STRING(0, "slowest", "NAME", struct replay_args, slowest,
		   "show the slowest calls of matching functions or system calls in full depth"),
	OPT_NUMBER('n', "count", "N", struct replay_args, count,
		   "with --slowest, show N calls (default: 3)"),
	OPT_STRING(0, "around", "TIME", struct replay_args, report.around,
		   "show what happened around TIME, and mark what was in progress then"),
	OPT_CALL(0, "within", "DURATION", set_within,
		 "with --around, show DURATION before and after it (default: 1ms)"),
	OPT_CALL(0, "min", "DURATION", cmd_replay_set_min,
		 "hide calls that took less than DURATION, for example 10us"),
	OPT_FLAG('a', "all", struct replay_args, all, "don't merge repeated calls"),
	OPT_FLAG(0, "noise", struct replay_args, noise,
		 "show each function that is part of the noise"),
	OPT_FLAG(0, "no-events", struct replay_args, no_events,
		 "show only calls, interrupts and waits"),
	OPT_FLAG(0, "idle", struct replay_args, idle, "also show activity on idle CPUs"),
	OPT_STRING(0, "phases", "FILE", struct replay_args, rules,
		   "read the rules for noise from FILE, see fathom-phases(5)"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

static int cmd_replay_work(const struct action *action, const char *path, struct fathom_err *err)
{
	return replay_run(action, action->args, path, err);
}

static int cmd_replay_run(const struct action *action)
{
	const struct replay_args *args = action->args;
	struct fathom_err err = { 0 };

	if (!!args->below + !!args->slowest + !!args->report.around > 1)
		err_set(&err, -EINVAL, "--below, --slowest and --around are mutually exclusive");
	else if (args->count && !args->slowest)
		err_set(&err, -EINVAL, "--count requires --slowest");
	else if (args->within && !args->report.around)
		err_set(&err, -EINVAL, "--within requires --around");
	else if (args->depth > 4096)
		err_set(&err, -EINVAL, "invalid depth: expected 1 to 4096");
	else if (args->count > REPLAY_SLOWEST_MAX)
		err_set(&err, -EINVAL, "invalid number of calls: expected 1 to %d",
			REPLAY_SLOWEST_MAX);
	if (err.code)
		return action_usage_error(action, &err);
	return analysis_run(action, cmd_replay_work);
}

const struct command command_replay = {
	.name = "replay",
	.summary = "show what each task did, in time order",
	.description =
		"Shows the system calls of each task in the order in which they ended, with the kernel "
		"functions, interrupts, waits, wakers and other events inside them. Repeated calls are "
		"merged.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct replay_args),
	.paged = true,
	.run = cmd_replay_run,
};
