/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stream: traces, and prints events as they come. */
#include "cli/kit/commands.h"

#include "actions/record/stream-run.h"
#include "cli/plan/plan-options.h"
#include "cli/report/report-options.h"

/* Callbacks of report's options, for which the arguments are those of report. */
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
	PLAN_OPTIONS,
	OPT_CALL('F', NULL, NULL, plan_arg_command_only, "trace only the command"),
	OPT_CALL(0, "filter", "FILTER", on_filter,
		 "show events that match, as in fathom-filter(7); several add up"),
	OPT_CALL(0, "hide", "FILTER", on_hide, "do not show events that match"),
	OPT_CALL(0, "pid", "PID", on_pid,
		 "show only events of this task, or about it; a list with commas is fine"),
	OPT_CALL(0, "cpu", "LIST", on_cpus, "show only events of these CPUs: '0,2-5'"),
	OPT_CALL(0, "first", "N", on_first, "end after N events"),
	SHOWN('I', NULL, no_irqs, "hide events in hardware interrupts"),
	SHOWN('S', NULL, no_softirqs, "hide events in software interrupts"),
	OPT_CHOICE(0, "time", "HOW", "absolute relative delta", struct stream_args, report.time,
		   "show times as they are, from the first event on, or since the one before"),
	SHOWN('t', NULL, options.nanoseconds, "show nanoseconds"),
	SHOWN(0, "latency", options.latency, "latency format: narrow, with flags"),
	SHOWN(0, "raw", options.raw, "show fields instead of the kernel's text"),
	SHOWN(0, "plain", options.plain, "use the kernel's text for all events"),
	SHOWN(0, "ts-diff", options.time_diff, "show the time since the line before as well"),
	SHOWN(0, "json", json, "one JSON object per event and line"),
	SHOWN(0, "csv", csv, "comma-separated values"),
	OPT_STRING(0, "user", "USER", struct stream_args, user, "run the command as this user"),
	OPT_FLAG('q', "quiet", struct stream_args, quiet, "say nothing but what went wrong"),
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
	.summary = "show what the kernel does while it happens",
	.description =
		"Traces what is asked for while COMMAND runs, or until Ctrl-C, and prints each event "
		"as it comes, in the order of time, in the form of 'fathom report'. Nothing is written "
		"to disk. What is set in the kernel for this is put back at the end.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct stream_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_stream_run,
	.done = cmd_stream_done,
};
