/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stream: print events as they happen, without a file. */
#include "cli/kit/commands.h"

#include "actions/record/stream-run.h"
#include "cli/plan/plan-options.h"
#include "cli/report/report-options.h"

/* Parsers of report's options, which expect a struct report_args. */
static int on_filter(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *report = &((struct stream_args *)args)->report;

	report->negate = false;
	return report_arg_filter(report, value, err);
}

static int on_hide(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *report = &((struct stream_args *)args)->report;

	report->negate = true;
	return report_arg_filter(report, value, err);
}

static int on_pid(void *args, const char *value, struct fathom_err *err)
{
	return report_arg_pid(&((struct stream_args *)args)->report, value, err);
}

static int on_cpus(void *args, const char *value, struct fathom_err *err)
{
	return report_arg_cpus(&((struct stream_args *)args)->report, value, err);
}

static int on_first(void *args, const char *value, struct fathom_err *err)
{
	return report_arg_first(&((struct stream_args *)args)->report, value, err);
}

#define SHOWN(letter, name, field, text) \
	OPT_FLAG(letter, name, struct stream_args, report.field, text)

static const struct option_def options[] = {
	OPT_GROUP("What to trace"),
	PLAN_EVENT_OPTIONS,
	OPT_CALL('F', NULL, NULL, plan_arg_command_only, "trace only the command"),
	PLAN_TASK_OPTIONS,
	OPT_STRING(0, "user", "USER", struct stream_args, user, "run the command as USER"),
	OPT_GROUP("Values and stack traces"),
	PLAN_VALUE_OPTIONS,
	PLAN_STACK_OPTIONS,
	PLAN_LIMIT_OPTIONS,
	OPT_GROUP("Buffers"),
	PLAN_BUFFER_OPTIONS,
	OPT_GROUP("What to show"),
	OPT_CALL(0, "filter", "FILTER", on_filter,
		 "show only events that match FILTER, see fathom-filter(7); repeated: any of "
		 "them"),
	OPT_CALL(0, "hide", "FILTER", on_hide, "hide events that match FILTER"),
	OPT_CALL(0, "pid", "PID,...", on_pid, "show only events of these tasks, or about them"),
	OPT_CALL(0, "cpu", "LIST", on_cpus, "show only events of these CPUs, for example 0,2-5"),
	OPT_CALL(0, "first", "N", on_first, "exit after N events"),
	SHOWN('I', NULL, no_irqs, "hide events in interrupt handlers"),
	SHOWN('S', NULL, no_softirqs, "hide events in softirqs"),
	OPT_GROUP("Format"),
	OPT_CHOICE(0, "time", "HOW", REPORT_TIMES, struct stream_args, report.time,
		   "print timestamps as recorded, since the first event, or since the previous "
		   "one"),
	SHOWN('t', NULL, options.nanoseconds, "print timestamps with nanosecond resolution"),
	SHOWN(0, "ts-diff", options.time_diff, "also print the time since the previous line"),
	SHOWN(0, "latency", options.latency, "print the latency format: narrow, with flags"),
	SHOWN(0, "raw", options.raw, "print raw fields instead of the kernel's format"),
	SHOWN(0, "plain", options.plain, "use the kernel's format for all events"),
	OPT_GROUP("Output"),
	SHOWN(0, "json", json, "print one JSON object per line"),
	SHOWN(0, "csv", csv, "print comma-separated values"),
	OPT_FLAG('q', "quiet", struct stream_args, quiet, "print only errors and warnings"),
	OPT_END,
};

static int cmd_stream_run(const struct action *action)
{
	struct stream_args *args = action->args;

	args->report.options.time = args->report.time;
	return stream_run(action, args);
}

static void cmd_stream_done(void *args)
{
	plan_args_done(&((struct stream_args *)args)->plan);
}

const struct command command_stream = {
	.name = "stream",
	.summary = "print events as they happen, without a file",
	.description =
		"Traces events and functions while COMMAND runs, or until Ctrl-C, and prints "
		"them as they happen, in the format of 'fathom report'. Nothing is written to "
		"disk. All kernel settings are restored on exit.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct stream_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_stream_run,
	.done = cmd_stream_done,
};
