/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom sample: where do the CPUs spend their time? */
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
	struct record_args record; /* first, see PLAN_OPTIONS */
	bool all;
};

static const struct option_def options[] = {
	OPT_CALL('F', "frequency", "HZ", record_arg_sample,
		 "take this many samples a second of each CPU; " SAMPLE_HZ " by default"),
	UNWIND_OPTION,
	OPT_CALL('p', "pid", "PID", plan_arg_pid,
		 "sample this process and what it starts, or several with commas between"),
	OPT_FLAG('a', "all", struct sample_args, all, "sample all that runs"),
	OPT_STRING('o', "output", "FILE", struct record_args, output,
		   "write to FILE, not to trace.dat"),
	OPT_MODE(struct record_args, mode),
	OPT_CALL('e', NULL, "EVENT", plan_arg_event,
		 "record also this event, or a probe as k:FUNCTION(ARGUMENT,...)"),
	OPT_CALL(0, "for", "TIME", record_arg_for, "stop after this time, such as 10s"),
	MAX_OVERHEAD_OPTION,
	OPT_STRING(0, "user", "USER", struct record_args, user, "run the command as this user"),
	OPT_FLAG(0, "compress", struct record_args, compress,
		 "compress the file when the recording is done"),
	OPT_FLAG('q', "quiet", struct record_args, quiet, "say nothing but what went wrong"),
	OPT_END,
};

static int cmd_sample_make_plan(struct sample_args *args, bool has_command, struct fathom_err *err)
{
	struct plan_args *plan = &args->record.plan;
	int r = plan_args_init(plan, err);

	if (r < 0)
		return r;
	if (args->all + !!plan->plan.n_pids > 1)
		return err_set(err, -EINVAL, "-a is about all processes: leave out -p");
	if (!has_command && !args->all && !plan->plan.n_pids)
		return err_set(err, -EINVAL, "say what to sample: a command to run, -p PID, or -a");
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
	.summary = "record where the CPUs spend their time, by samples",
	.description =
		"Notes many times a second where each CPU is, in the program or in the kernel, and "
		"who called, while COMMAND runs, or until Ctrl-C. 'fathom flame' and 'fathom tree' "
		"add it up. Unlike a trace of functions it slows nothing down that can be measured.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct sample_args),
	.runs_command = true,
	.for_recording = "flame",
	.minds_sessions = true,
	.run = cmd_sample_run,
	.done = cmd_sample_done,
};
