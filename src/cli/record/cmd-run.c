/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom run: run a command and show where its time went. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "actions/analysis/summary-run.h"
#include "actions/input/reading.h"
#include "actions/plan/plan-run.h"
#include "actions/plan/run-probes.h"
#include "actions/record/record-run.h"
#include "actions/report/report-args.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "cli/analysis/summary-options.h"
#include "cli/plan/plan-options.h"
#include "cli/record/record-options.h"

/* Deep enough to tell phases apart, but not so deep that the command becomes too slow. */
#define DEPTH "6"

struct run_args {
	struct record_args record; /* must be first, see PLAN_OPTIONS */
	struct report_args report;
	struct summary_options show;
	const char *depth;
	const char *screen; /* the file that gets the summary */
	bool no_functions;
};

static const struct option_def options[] = {
	OPT_GROUP("What to trace"),
	OPT_STRING('d', "depth", "N", struct run_args, depth,
		   "trace kernel functions N levels deep (default: " DEPTH ")"),
	OPT_FLAG(0, "light", struct run_args, no_functions,
		 "don't trace kernel functions: less overhead, no breakdown inside system calls"),
	OPT_FLAG(0, "no-functions", struct run_args, no_functions, "same as --light"),
	OPT_CALL('e', "event", "EVENT", plan_arg_event,
		 "also record EVENT, a probe (k:FUNCTION(ARGUMENT,...)) or memory writes "
		 "(mem:FILE:VARIABLE)"),
	PLAN_VALUE_OPTIONS,
	OPT_CALL(0, "sample", "HZ", record_arg_sample,
		 "also sample user and kernel stacks at this rate"),
	OPT_CALL(0, "user-stack", NULL, plan_arg_user_stack,
		 "record a user stack trace with each event"),
	USER_FUNCTION_OPTIONS,
	OPT_CALL('P', NULL, "PID", plan_arg_pid,
		 "trace a running process until --for expires or Ctrl-C"),
	OPT_STRING(0, "user", "USER", struct run_args, record.user, "run the command as USER"),
	OPT_GROUP("Limits"),
	OPT_CALL(0, "for", "DURATION", record_arg_for, "stop after DURATION, for example 10s"),
	MAX_OVERHEAD_OPTION,
	PLAN_LIMIT_OPTIONS,
	OPT_CALL('b', "buffer-size", "KB", plan_arg_size, "buffer size per CPU"),
	OPT_CALL(0, "force", NULL, plan_arg_force,
		 "take over the top-level buffer; restore its settings on exit"),
	OPT_GROUP("Output"),
	OPT_STRING('o', "output", "FILE", struct run_args, record.output,
		   "write the recording to FILE (default: trace.dat)"),
	OPT_MODE(struct run_args, record.mode),
	SUMMARY_OPTIONS(struct run_args, show),
	OPT_STRING(0, "report", "FILE", struct run_args, screen,
		   "write the summary to FILE instead of the terminal"),
	OPT_FLAG('q', "quiet", struct run_args, report.quiet, "don't suggest further commands"),
	OPT_FLAG(0, "json", struct run_args, report.json, "print JSON"),
	OPT_END,
};

static const char *const events[] = {
	"syscalls",
	"sched:sched_switch",
	"sched:sched_waking",
	"sched:sched_wakeup*",
	"sched:sched_process_*",
	"task:task_newtask",
	"exceptions:page_fault_*",
	"signal:signal_generate",
	"signal:signal_deliver",
	"block:block_rq_*",
	"irq:irq_handler_*",
	"irq:softirq_*",
	"irq_vectors",
};

static int cmd_run_make_plan(struct run_args *args, bool has_command, struct fathom_err *err)
{
	struct plan_args *plan = &args->record.plan;
	int r = plan_args_init(plan, err);

	if (r == 0 && !args->no_functions)
		r = plan_arg_tracer(plan, "function_graph", err);
	if (r == 0 && !args->no_functions)
		r = plan_arg_depth(plan, args->depth ?: DEPTH, err);
	if (r == 0 && has_command)
		r = plan_arg_command_only(plan, NULL, err);
	if (r == 0)
		r = plan_arg_children(plan, NULL, err);
	if (r == 0)
		r = plan_arg_ignore(plan, NULL, err);
	for (size_t i = 0; i < ARRAY_SIZE(events) && r == 0; i++)
		r = plan_arg_event(plan, events[i], err);
	return r < 0 ? r : run_probes_add(&plan->plan, false, err);
}

/*
 * Prints the summary to @file if it is open; otherwise to standard output, or to standard error if
 * the output of a command goes to a file or to another program there.
 */
static void cmd_run_show(const struct action *action, struct run_args *args, struct new_file *file)
{
	const char *path = args->record.output ?: "trace.dat";
	struct fathom_err err = { 0 };
	struct out out;
	int r;

	if (file->fd >= 0) {
		summary_run_to_file(action, &args->report, &args->show, path, file);
		return;
	}
	reading_begin(action, args->report.quiet ? READING_QUIET : 0);
	if (!action->argc || action->out->terminal) {
		r = summary_run(action, &args->report, &args->show, path, action->out, &err);
	} else {
		out_init(&out, stderr, action->out->asked);
		r = summary_run(action, &args->report, &args->show, path, &out, &err);
		out_finish(&out);
	}
	if (r < 0)
		reading_failed(action, &err);
	reading_end();
}

static int cmd_run(const struct action *action)
{
	struct run_args *args = action->args;
	_cleanup_free_ char **argv = plan_run_argv(action);
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	struct fathom_err err = { 0 };
	int code;

	if (!argv)
		return err_nomem(&err), action_failed(action, &err);
	if (!action->argc && !args->record.plan.plan.n_pids)
		err_set(&err, -EINVAL,
			"no command given: use 'fathom run COMMAND' or 'fathom run -P PID'");
	else if (cmd_run_make_plan(args, action->argc > 0, &err) == 0)
		err = (struct fathom_err){ 0 };
	if (err.code)
		return action_usage_error(action, &err);
	/* Before the command runs, to report at once that the file cannot be written. */
	if (args->screen &&
	    new_file_open(&file, args->screen, NEW_FILE_QUICK, args->record.mode, &err) < 0)
		return action_failed(action, &err);
	args->record.quiet = true;
	args->record.measures_price = true;
	args->record.tells_users = !args->report.quiet;
	code = record_run(action, &args->record, action->argc, argv);
	if (args->record.is_made)
		cmd_run_show(action, args, &file);
	return code;
}

static void cmd_run_done(void *args)
{
	plan_args_done(&((struct run_args *)args)->record.plan);
}

const struct command command_run = {
	.name = "run",
	.summary = "run a command and show where its time went",
	.description =
		"Runs COMMAND, records what it and its child processes do, and prints a one-screen "
		"summary: time in the program, in the kernel and waiting, system calls, files, "
		"failures and processes. The recording is kept for a closer look.",
	.operands = "COMMAND [ARGUMENT...]",
	.options = options,
	.args_size = sizeof(struct run_args),
	.runs_command = true,
	.for_recording = "summary",
	.minds_sessions = true,
	.run = cmd_run,
	.done = cmd_run_done,
};
