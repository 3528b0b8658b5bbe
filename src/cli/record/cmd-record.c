/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom record: records what the kernel traces while a command runs, or until it is stopped. */
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
	PLAN_OPTIONS,
	USER_FUNCTION_OPTIONS,
	OPT_CALL(0, "sample", "HZ", record_arg_sample,
		 "note also, this often a second, where each CPU is and who called"),
	UNWIND_OPTION,
	OPT_CALL('F', NULL, NULL, plan_arg_command_only, "trace only the command"),
	OPT_STRING('o', NULL, "FILE", struct record_args, output,
		   "write to FILE, not to trace.dat"),
	OPT_MODE(struct record_args, mode),
	OPT_CALL(0, "for", "TIME", record_arg_for, "stop after this time, such as 10s"),
	OPT_CALL(0, "max-size", "SIZE", record_arg_max_size,
		 "stop when the file has this size, such as 1G"),
	MAX_OVERHEAD_OPTION,
	OPT_CALL(0, "until", "EVENT [if FILTER]", record_arg_until, "stop when this event happens"),
	OPT_CALL(0, "keep-last", "TIME|SIZE", record_arg_keep_last,
		 "keep what happens in memory and write the last of it at the end"),
	OPT_FLAG(0, "dry-run", struct record_args, dry_run,
		 "say what would be recorded and what it costs, and record nothing"),
	OPT_FLAG(0, "strict", struct record_args, strict, "lost events are a failure"),
	OPT_FLAG('q', "quiet", struct record_args, quiet, "say nothing but what went wrong"),
	OPT_STRING(0, "user", "USER", struct record_args, user, "run the command as this user"),
	OPT_CALL('m', NULL, "KB", record_arg_max_cpu,
		 "keep at most this much of each CPU, the newest"),
	OPT_NUMBER('r', NULL, "PRIORITY", struct record_args, priority,
		   "record with this real-time priority"),
	OPT_CALL('s', NULL, "MICROSECONDS", record_arg_interval,
		 "look for data this often instead of being woken"),
	OPT_CALL(0, "poll", NULL, record_arg_poll,
		 "do not let the kernel wake us, which can disturb"),
	OPT_FLAG('a', NULL, struct record_args, all_formats,
		 "describe all events in the file, not only those traced"),
	OPT_FLAG(0, "date", struct record_args, date, "let the file tell the time of day"),
	OPT_FLAG(0, "compress", struct record_args, compress,
		 "compress the file when the recording is done"),
	OPT_CHOICE(0, "compression", "KIND", "none zlib zstd any", struct record_args, compression,
		   "compress with this"),
	OPT_NUMBER(0, "file-version", "6|7", struct record_args, file_version,
		   "write this version of trace.dat"),
	OPT_FLAG(0, "proc-map", struct record_args, proc_map,
		 "keep which files the traced processes have mapped"),
	OPT_STRING(0, "ts-offset", "OFFSET", struct record_args, ts_offset,
		   "let readers add this to every time"),
	OPT_FLAG(0, "no-filter", struct record_args, no_filter, "trace the recorder as well"),
	OPT_FLAG('k', NULL, struct record_args, keep,
		 "leave everything set at the end; 'fathom reset' puts it back"),
	OPT_STRING('H', NULL, "HOOK", struct record_args, hook,
		   "keep this for 'trace-cmd report --profile'"),
	OPT_CALL('N', NULL, "HOST:PORT", record_arg_network, "not there: recording over a network"),
	OPT_CALL('V', NULL, "CID:PORT", record_arg_network, "not there: recording through a vsock"),
	OPT_CALL('A', NULL, "GUEST", record_arg_network, "not there: recording in a guest as well"),
	OPT_CALL('K', NULL, NULL, record_arg_nothing,
		 "for trace-cmd's sake; there is nothing to keep"),
	OPT_CALL(0, "stderr", NULL, record_arg_nothing,
		 "for trace-cmd's sake; messages are there anyway"),
	OPT_CALL(0, "temp", "DIR", record_arg_nothing,
		 "for trace-cmd's sake; there are no temporary files"),
	OPT_END,
};

static int cmd_record_check(struct record_args *args, struct fathom_err *err)
{
	if (args->file_version && args->file_version != 6 && args->file_version != 7)
		return err_set(err, -EINVAL, "trace.dat has the versions 6 and 7, not %lu",
			       args->file_version);
	if (args->file_version == 6 && (args->compress || args->compression))
		return err_set(err, -EINVAL, "version 6 of trace.dat is never compressed");
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
	.summary = "record what the kernel does while a command runs",
	.description =
		"Records the tracer and events that are asked for while COMMAND runs, or until "
		"Ctrl-C, to a file that 'fathom report' and trace-cmd read. What is set in the "
		"kernel for this is put back at the end, whatever happens.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct record_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_record_run,
	.done = cmd_record_done,
};
