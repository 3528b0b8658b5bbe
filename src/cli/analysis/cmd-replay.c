/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom replay: what tasks did, one thing after the other. */
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
	OPT_NUMBER('d', "depth", "N", struct replay_args, depth,
		   "show N levels of calls inside calls; 5 by default"),
	OPT_STRING('g', "below", "NAME", struct replay_args, below,
		   "begin with calls of this function or system call; '*' and '?' fit all"),
	OPT_STRING(
		0, "slowest", "NAME", struct replay_args, slowest,
		"show the slowest calls of this function or system call, with all that is in them"),
	OPT_NUMBER('n', "count", "N", struct replay_args, count,
		   "with --slowest: show N of them; 3 by default"),
	OPT_STRING(0, "around", "TIME", struct replay_args, report.around,
		   "show what went on at this time, and mark it"),
	OPT_CALL(0, "within", "SPAN", set_within,
		 "with --around: so much before and after it; '1ms' by default"),
	OPT_CALL(0, "min", "SPAN", cmd_replay_set_min, "leave out calls that took less: '10us'"),
	OPT_FLAG('a', "all", struct replay_args, all, "show each of what is repeated"),
	OPT_FLAG(0, "noise", struct replay_args, noise,
		 "show the functions that explain nothing by their names"),
	OPT_FLAG(0, "no-events", struct replay_args, no_events,
		 "show only calls, interrupts and waits"),
	OPT_FLAG(0, "idle", struct replay_args, idle,
		 "also show what happens on CPUs that have nothing to do"),
	OPT_STRING(0, "phases", "FILE", struct replay_args, rules,
		   "find noise by the rules of this file; see fathom-phases(5)"),
	REPORT_SELECT_OPTIONS,
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
		err_set(&err, -EINVAL, "choose one of --below, --slowest and --around");
	else if (args->count && !args->slowest)
		err_set(&err, -EINVAL, "--count says how many of --slowest, which is not there");
	else if (args->within && !args->report.around)
		err_set(&err, -EINVAL, "--within says how much of --around, which is not there");
	else if (args->depth > 4096)
		err_set(&err, -EINVAL, "no call is deeper than 4096 levels");
	else if (args->count > REPLAY_SLOWEST_MAX)
		err_set(&err, -EINVAL, "at most %d of the slowest are shown", REPLAY_SLOWEST_MAX);
	if (err.code)
		return action_usage_error(action, &err);
	return analysis_run(action, cmd_replay_work);
}

const struct command command_replay = {
	.name = "replay",
	.summary = "show what tasks did, one thing after the other",
	.description =
		"Shows the system calls of tasks in the order in which they ended, with the "
		"functions that the kernel called in them, interrupts, waits and who ended them, and "
		"other events. "
		"What repeats stands there once, with how often.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct replay_args),
	.paged = true,
	.run = cmd_replay_run,
};
