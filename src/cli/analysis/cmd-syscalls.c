/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom syscalls: show system call times, counts and errors. */
#include "cli/kit/commands.h"

#include "actions/analysis/syscalls-run.h"
#include "actions/input/time-arg.h"
#include "cli/report/report-options.h"
#include "render/command/syscalls.h"

static int set_slower(void *data, const char *value, struct fathom_err *err)
{
	struct syscalls_args *args = data;

	args->list.list = true;
	return time_arg_span(value, &args->list.slower, err);
}

static int set_errors(void *data, const char *value, struct fathom_err *err)
{
	struct syscalls_args *args = data;

	args->list.list = args->list.errors = true;
	return 0;
}

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_FLAG('l', "list", struct syscalls_args, list.list,
		 "list each call with its arguments and result, as strace does"),
	OPT_STRING('e', "calls", "NAME,...", struct syscalls_args, names,
		   "show only system calls with these names; may contain '*' and '?'"),
	OPT_CALL(0, "errors", NULL, set_errors, "list only failed calls"),
	OPT_CALL(0, "slower", "DURATION", set_slower,
		 "list only calls of at least DURATION, for example 1ms"),
	OPT_CHOICE('s', "sort", "BY", SYSCALLS_ORDERS, struct syscalls_args, order,
		   "sort order (default: total)"),
	OPT_CHOICE(
		0, "breakdown", "WHICH", SYSCALLS_BREAKDOWNS, struct syscalls_args, breakdown,
		"show the time in kernel functions by phase, for the top five calls, all or none"),
	OPT_FLAG(0, "raw", struct syscalls_args, raw,
		 "show times as measured, including the cost of tracing"),
	OPT_STRING(0, "phases", "FILE", struct syscalls_args, rules,
		   "read phase rules from FILE, see fathom-phases(5)"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

static void syscalls_run_done(void *data)
{
	matches_done(&((struct syscalls_args *)data)->list.names);
}

const struct command command_syscalls = {
	.name = "syscalls",
	.summary = "show system call times, counts and errors",
	.description =
		"Summarizes the system calls of a recording with the events of the 'syscalls' (or "
		"'raw_syscalls') system: total time, time off the CPU, number of calls and errors. "
		"With --list, it lists each call with its arguments and result.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct syscalls_args),
	.paged = true,
	.run = syscalls_run,
	.done = syscalls_run_done,
};
