/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom syscalls: which system calls took the time, and which failed. */
#include "cli/kit/commands.h"

#include "actions/analysis/syscalls-run.h"
#include "actions/input/time-arg.h"
#include "cli/report/report-options.h"

#define BREAKDOWNS "auto top all none"

#define ORDERS "total count errors max name"

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
	OPT_FLAG('l', "list", struct syscalls_args, list.list,
		 "show each call with its arguments and its result, as strace does"),
	OPT_STRING('e', "calls", "NAMES", struct syscalls_args, names,
		   "show only calls with these names; commas between them, '*' for any text"),
	OPT_CALL(0, "errors", NULL, set_errors, "list only calls that failed"),
	OPT_CALL(0, "slower", "TIME", set_slower,
		 "list only calls that took this long, such as 1ms"),
	OPT_CHOICE('s', "sort", "BY", ORDERS, struct syscalls_args, order,
		   "which come first: those with the largest total, count, errors or max, or by "
		   "name"),
	OPT_CHOICE(0, "breakdown", "WHICH", BREAKDOWNS, struct syscalls_args, breakdown,
		   "what the kernel did in them, below the top ones, all or none; needs functions"),
	OPT_FLAG(0, "raw", struct syscalls_args, raw,
		 "show times as measured, with the cost of tracing"),
	OPT_STRING(0, "phases", "FILE", struct syscalls_args, rules,
		   "name the kernel's functions by this file; see fathom-phases(5)"),
	REPORT_SELECT_OPTIONS,
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

static void syscalls_run_done(void *data)
{
	matches_done(&((struct syscalls_args *)data)->list.names);
}

const struct command command_syscalls = {
	.name = "syscalls",
	.summary = "show which system calls took the time, and which failed",
	.description =
		"Adds up the system calls of a recording with the events of the system 'syscalls' "
		"(or 'raw_syscalls'): how long they took, how long their tasks were asleep in "
		"them, how often they were made, and with which errors they failed. With --list "
		"it shows each of them with its arguments and its result.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct syscalls_args),
	.paged = true,
	.run = syscalls_run,
	.done = syscalls_run_done,
};
