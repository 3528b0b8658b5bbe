/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom record: record events and functions to a trace file. */
#include <errno.h>

#include "actions/plan/plan-run.h"
#include "actions/record/record-preview.h"
#include "actions/record/record-run.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "cli/kit/commands.h"
#include "cli/plan/plan-options.h"
#include "cli/record/record-options.h"

static const struct option_def options[] = {
	OPT_GROUP("What to trace"),
	PLAN_EVENT_OPTIONS,
	OPT_CALL('F', NULL, NULL, plan_arg_command_only, "trace only the command"),
	PLAN_TASK_OPTIONS,
	USER_FUNCTION_OPTIONS,
	OPT_STRING(0, "user", "USER", struct record_args, user, "run the command as USER"),
	OPT_FLAG(0, "no-filter", struct record_args, no_filter, "also trace the recorder"),
	OPT_GROUP("Values and stack traces"),
	PLAN_VALUE_OPTIONS,
	PLAN_STACK_OPTIONS,
	OPT_CALL(0, "sample", "HZ", record_arg_sample,
		 "also sample user and kernel stacks at this rate"),
	UNWIND_OPTION,
	OPT_GROUP("When to stop"),
	OPT_CALL(0, "for", "DURATION", record_arg_for, "stop after DURATION, for example 10s"),
	OPT_CALL(0, "until", "EVENT [if FILTER]", record_arg_until, "stop when EVENT occurs"),
	OPT_CALL(0, "max-size", "SIZE", record_arg_max_size,
		 "stop when the file reaches SIZE, for example 1G"),
	OPT_CALL('m', NULL, "KB", record_arg_max_cpu,
		 "write only the newest data of each CPU, up to this size"),
	OPT_CALL(0, "keep-last", "DURATION|SIZE", record_arg_keep_last,
		 "record into memory and write only the last DURATION or SIZE at the end"),
	MAX_OVERHEAD_OPTION,
	PLAN_LIMIT_OPTIONS,
	OPT_FLAG(0, "strict", struct record_args, strict, "fail if events are lost"),
	OPT_GROUP("Buffers"),
	PLAN_BUFFER_OPTIONS,
	OPT_FLAG('k', "keep", struct record_args, keep,
		 "leave all settings in effect on exit; 'fathom reset' restores them"),
	OPT_NUMBER('r', NULL, "PRIORITY", struct record_args, priority,
		   "real-time priority of the recording threads"),
	OPT_CALL('s', NULL, "MICROSECONDS", record_arg_interval,
		 "read the buffers at this interval instead of waiting for data"),
	OPT_CALL(0, "poll", NULL, record_arg_poll,
		 "poll instead of blocking, to keep wakeups out of the trace"),
	OPT_GROUP_MANUAL_ONLY("Compatibility with trace-cmd"),
	OPT_STRING('H', NULL, "HOOK", struct record_args, hook,
		   "store HOOK for 'trace-cmd report --profile'"),
	OPT_CALL('N', NULL, "HOST:PORT", record_arg_network, "unsupported: network recording"),
	OPT_CALL('V', NULL, "CID:PORT", record_arg_network, "unsupported: recording over a vsock"),
	OPT_CALL('A', NULL, "GUEST", record_arg_network, "unsupported: recording in guests"),
	OPT_CALL('K', NULL, NULL, record_arg_nothing,
		 "ignored; accepted for compatibility with trace-cmd"),
	OPT_CALL(0, "stderr", NULL, record_arg_nothing,
		 "ignored; accepted for compatibility with trace-cmd"),
	OPT_CALL(0, "temp", "DIR", record_arg_nothing,
		 "ignored; accepted for compatibility with trace-cmd"),
	OPT_GROUP("Output"),
	OPT_STRING('o', "output", "FILE", struct record_args, output,
		   "write the recording to FILE (default: trace.dat)"),
	OPT_MODE(struct record_args, mode),
	OPT_FLAG(0, "compress", struct record_args, compress,
		 "compress the file when the recording ends"),
	OPT_CHOICE(0, "compression", "KIND", RECORD_COMPRESSIONS, struct record_args, compression,
		   "compression algorithm"),
	OPT_NUMBER(0, "file-version", "6|7", struct record_args, file_version,
		   "trace.dat version (default: 7)"),
	OPT_FLAG('a', NULL, struct record_args, all_formats,
		 "store the formats of all events, not only of traced ones"),
	OPT_FLAG(0, "date", struct record_args, date,
		 "store the offset between timestamps and "
		 "the time of day"),
	OPT_STRING(0, "ts-offset", "OFFSET", struct record_args, ts_offset,
		   "offset that readers add to each timestamp"),
	OPT_FLAG(0, "proc-map", struct record_args, proc_map,
		 "store the memory maps of the traced processes"),
	OPT_FLAG(0, "dry-run", struct record_args, dry_run,
		 "print what would be recorded, with the estimated overhead; record nothing"),
	OPT_FLAG('q', "quiet", struct record_args, quiet, "print only errors and warnings"),
	OPT_END,
};

static int cmd_record_check(struct record_args *args, struct fathom_err *err)
{
	if (args->file_version && args->file_version != 6 && args->file_version != 7)
		return err_set(err, -EINVAL, "invalid trace.dat version '%lu': expected 6 or 7",
			       args->file_version);
	if (args->file_version == 6 && (args->compress || args->compression))
		return err_set(err, -EINVAL, "trace.dat version 6 does not support compression");
	if (args->last_bytes)
		args->plan.plan.total_kb = (unsigned long)(args->last_bytes / 1024);
	return args->sample_hz || args->plan.plan.watches.n ? 0 :
							      plan_run_check(&args->plan.plan, err);
}

static int cmd_record_run(const struct action *action)
{
	struct record_args *args = action->args;
	_cleanup_free_ char **argv = plan_run_argv(action);
	struct fathom_err err = { 0 };

	if (!argv)
		return err_nomem(&err), action_failed(action, &err);
	if (plan_args_init(&args->plan, &err) < 0)
		return action_failed(action, &err);
	if (cmd_record_check(args, &err) < 0)
		return action_usage_error(action, &err);
	if (args->dry_run)
		return record_preview(action, args, action->argc, argv);
	return record_run_unseen(action, args, action->argc, argv);
}

static void cmd_record_done(void *args)
{
	plan_args_done(&((struct record_args *)args)->plan);
}

const struct command command_record = {
	.name = "record",
	.summary = "record events and functions to a trace file",
	.description = "Records events and functions while COMMAND runs, or until Ctrl-C, to a "
		       "trace.dat file for 'fathom report' and trace-cmd. All kernel settings are "
		       "restored on exit, even if fathom is killed.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct record_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_record_run,
	.done = cmd_record_done,
};
