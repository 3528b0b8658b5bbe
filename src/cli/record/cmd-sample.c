/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom sample: sample stack traces at a fixed rate. */
#include <errno.h>

#include "actions/plan/plan-run.h"
#include "actions/record/record-run.h"
#include "actions/record/record-samples.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "cli/kit/commands.h"
#include "cli/plan/plan-options.h"
#include "cli/record/record-options.h"

struct sample_args {
	struct record_args record; /* must be first, see PLAN_OPTIONS */
	bool all;
};

static const struct option_def options[] = {
	OPT_GROUP("What to sample"),
	OPT_CALL('F', "frequency", "HZ", record_arg_sample,
		 "samples per second and CPU (default: " SAMPLE_HZ ")"),
	UNWIND_OPTION,
	OPT_CALL('p', "pid", "PID,...", plan_arg_pid, "sample these processes and their children"),
	OPT_FLAG('a', "all", struct sample_args, all, "sample the whole system"),
	OPT_CALL('e', "event", "EVENT", plan_arg_event,
		 "also record EVENT, or a probe k:FUNCTION(ARGUMENT,...)"),
	OPT_STRING(0, "user", "USER", struct record_args, user, "run the command as USER"),
	OPT_GROUP("When to stop"),
	OPT_CALL(0, "for", "DURATION", record_arg_for, "stop after DURATION, for example 10s"),
	MAX_OVERHEAD_OPTION,
	OPT_GROUP("Output"),
	OPT_STRING('o', "output", "FILE", struct record_args, output,
		   "write to FILE (default: trace.dat)"),
	OPT_MODE(struct record_args, mode),
	OPT_FLAG(0, "compress", struct record_args, compress,
		 "compress the file after the recording"),
	OPT_FLAG('q', "quiet", struct record_args, quiet, "print only errors and warnings"),
	OPT_END,
};

static int cmd_sample_make_plan(struct sample_args *args, bool has_command, struct fathom_err *err)
{
	struct plan_args *plan = &args->record.plan;
	int r = plan_args_init(plan, err);

	if (r < 0)
		return r;
	if (args->all + !!plan->plan.n_pids > 1)
		return err_set(err, -EINVAL, "-a and -p are mutually exclusive");
	if (!has_command && !args->all && !plan->plan.n_pids)
		return err_set(err, -EINVAL,
			       "nothing to sample: use 'fathom sample COMMAND', -p PID or -a");
	if (has_command && !args->all && !plan->plan.n_pids)
		r = plan_arg_command_only(plan, NULL, err);
	if (r == 0 && !args->all)
		r = plan_arg_children(plan, NULL, err);
	if (r == 0 && !args->record.sample_hz)
		r = record_arg_sample(args, SAMPLE_HZ, err);
	return r;
}

static int cmd_sample_run(const struct action *action)
{
	struct sample_args *args = action->args;
	_cleanup_free_ char **argv = plan_run_argv(action);
	struct fathom_err err = { 0 };

	if (!argv)
		return err_nomem(&err), action_failed(action, &err);
	if (cmd_sample_make_plan(args, action->argc > 0, &err) < 0)
		return action_usage_error(action, &err);
	return record_run_unseen(action, &args->record, action->argc, argv);
}

static void cmd_sample_done(void *args)
{
	plan_args_done(&((struct record_args *)args)->plan);
}

const struct command command_sample = {
	.name = "sample",
	.summary = "sample stack traces at a fixed rate",
	.description =
		"Records the call chain on each CPU many times a second, in user space and in the "
		"kernel, while COMMAND runs or until Ctrl-C. 'fathom flame' and 'fathom tree' show the "
		"result. Unlike function tracing, this does not measurably slow anything down.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct sample_args),
	.runs_command = true,
	.for_recording = "flame",
	.minds_sessions = true,
	.run = cmd_sample_run,
	.done = cmd_sample_done,
};
