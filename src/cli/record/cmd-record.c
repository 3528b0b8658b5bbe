/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom record: records what the kernel traces while a command runs, or until it is stopped. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/kit/commands.h"
#include "cli/plan/plan-run.h"
#include "cli/record/record-overhead.h"
#include "cli/record/record-preview.h"
#include "cli/record/record-run.h"
#include "cli/record/record-samples.h"

/* A number with a unit; 0 when it is none of @units ("s" 1000000000, ...). */
struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000ULL },
	{ "h", 3600000000000ULL },
	{ "", 1000000000 },
	{ NULL, 0 },
};
static const struct unit sizes[] = {
	{ "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 },
	{ "T", 1ULL << 40 }, { NULL, 0 },
};

static uint64_t with_unit(const char *text, const struct unit *units)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value > 0) || value > 1e15)
		return 0;
	for (; units->name; units++)
		if (strcasecmp(end, units->name) == 0)
			return (uint64_t)(value * (double)units->factor);
	return 0;
}

int record_arg_for(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;

	record->for_ns = with_unit(value, times);
	return record->for_ns ?
		       0 :
		       err_set(err, -EINVAL, "'%s' is not a time such as 10s, 500ms, 5m", value);
}

static int on_max_size(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;

	record->max_bytes = with_unit(value, sizes);
	return record->max_bytes ?
		       0 :
		       err_set(err, -EINVAL, "'%s' is not a size such as 500M or 2G", value);
}

static int on_keep_last(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;

	record->keep_last = true;
	record->last_bytes = with_unit(value, sizes);
	if (!record->last_bytes)
		record->last_ns = with_unit(value, times);
	return record->last_bytes || record->last_ns ?
		       0 :
		       err_set(err, -EINVAL,
			       "'%s' is neither a time such as 5s nor a size such as 100M", value);
}

static int on_max_cpu(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;
	char *end;

	record->max_cpu_bytes = strtoull(value, &end, 10) * 1024;
	return *value && !*end && record->max_cpu_bytes ?
		       0 :
		       err_set(err, -EINVAL, "'%s' is not a number of kilobytes", value);
}

static int on_interval(void *args, const char *value, struct fathom_err *err)
{
	struct record_args *record = args;
	char *end;

	record->interval_us = strtoul(value, &end, 10);
	record->has_interval = true;
	return *value && !*end ?
		       0 :
		       err_set(err, -EINVAL, "'%s' is not a number of microseconds", value);
}

static int on_poll(void *args, const char *value, struct fathom_err *err)
{
	((struct record_args *)args)->interval_us = 1000;
	return 0;
}

/* "EVENT if FILTER": the kernel stops the trace when it happens. */
static int on_until(void *args, const char *value, struct fathom_err *err)
{
	struct plan_args *plan = args;
	const char *condition = strstr(value, " if ");
	size_t len = condition ? (size_t)(condition - value) : strlen(value);
	struct plan_buffer *buffer;
	int r = plan_args_init(plan, err);

	if (r < 0)
		return r;
	if (plan->until)
		return err_set(err, -EINVAL, "--until can be given once");
	/* Two strings, the event and the trigger. */
	plan->until = mem_printf("%.*s%ctraceoff:1%s", (int)len, value, '\0', condition ?: "");
	buffer = &plan->plan.buffers[0];
	if (!plan->until || plan_add_event(buffer, plan->until, true) < 0 ||
	    plan_words_add(&buffer->events[buffer->n_events - 1].triggers, plan->until + len + 1) <
		    0)
		return err_nomem(err);
	return 0;
}

static int on_network(void *args, const char *value, struct fathom_err *err)
{
	return err_set(err, -EOPNOTSUPP,
		       "recording over a network, or in a guest, is not there; "
		       "record here and copy the file");
}

static int on_nothing(void *args, const char *value, struct fathom_err *err)
{
	return 0;
}

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
	OPT_CALL(0, "max-size", "SIZE", on_max_size,
		 "stop when the file has this size, such as 1G"),
	MAX_OVERHEAD_OPTION,
	OPT_CALL(0, "until", "EVENT [if FILTER]", on_until, "stop when this event happens"),
	OPT_CALL(0, "keep-last", "TIME|SIZE", on_keep_last,
		 "keep what happens in memory and write the last of it at the end"),
	OPT_FLAG(0, "dry-run", struct record_args, dry_run,
		 "say what would be recorded and what it costs, and record nothing"),
	OPT_FLAG(0, "strict", struct record_args, strict, "lost events are a failure"),
	OPT_FLAG('q', "quiet", struct record_args, quiet, "say nothing but what went wrong"),
	OPT_STRING(0, "user", "USER", struct record_args, user, "run the command as this user"),
	OPT_CALL('m', NULL, "KB", on_max_cpu, "keep at most this much of each CPU, the newest"),
	OPT_NUMBER('r', NULL, "PRIORITY", struct record_args, priority,
		   "record with this real-time priority"),
	OPT_CALL('s', NULL, "MICROSECONDS", on_interval,
		 "look for data this often instead of being woken"),
	OPT_CALL(0, "poll", NULL, on_poll, "do not let the kernel wake us, which can disturb"),
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
	OPT_CALL('N', NULL, "HOST:PORT", on_network, "not there: recording over a network"),
	OPT_CALL('V', NULL, "CID:PORT", on_network, "not there: recording through a vsock"),
	OPT_CALL('A', NULL, "GUEST", on_network, "not there: recording in a guest as well"),
	OPT_CALL('K', NULL, NULL, on_nothing, "for trace-cmd's sake; there is nothing to keep"),
	OPT_CALL(0, "stderr", NULL, on_nothing, "for trace-cmd's sake; messages are there anyway"),
	OPT_CALL(0, "temp", "DIR", on_nothing,
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
