/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom watch: report each access to a variable. */
#include "cli/kit/commands.h"

#include "actions/input/time-arg.h"
#include "actions/probe/watch-run.h"

static int on_for(void *args, const char *value, struct fathom_err *err)
{
	return time_arg_span(value, &((struct watch_args *)args)->span, err);
}

static const struct option_def options[] = {
	OPT_NUMBER('p', "pid", "PID", struct watch_args, pid,
		   "watch memory of a running process and its child processes"),
	OPT_FLAG(0, "kernel", struct watch_args, kernel, "watch kernel memory"),
	OPT_FLAG('T', "stack", struct watch_args, stacks, "show a stack trace with each hit"),
	OPT_NUMBER('n', "count", "N", struct watch_args, count, "stop after N hits"),
	OPT_CALL(0, "for", "DURATION", on_for, "stop after DURATION, for example 10s"),
	OPT_FLAG('x', "hex", struct watch_args, hex, "show all values in hexadecimal"),
	OPT_FLAG(0, "json", struct watch_args, json, "print one JSON object per line"),
	OPT_NUMBER('b', "buffer-size", "KB", struct watch_args, buffer_kb,
		   "buffer size per CPU (default: 2048)"),
	OPT_STRING(0, "user", "USER", struct watch_args, user, "run the command as USER"),
	OPT_FLAG('q', "quiet", struct watch_args, quiet,
		 "print only hits and errors, without heading and summary"),
	OPT_END,
};

static int cmd_watch_run(const struct action *action)
{
	return watch_run(action, action->args);
}

const struct command command_watch = {
	.name = "watch",
	.summary = "report each access to a variable",
	.description =
		"Watches a variable of a program or of the kernel with the debug registers of the CPU, "
		"and prints each write as it happens: the time, the task, the old and the new value, "
		"and the function. WHAT is a symbol or an address, as in 'counter', 'table+16/4' or "
		"'main:x'. The suffix selects the kind of access: w for writes (default), rw for reads "
		"and writes, x for execution. Threads and child processes are watched as well.",
	.operands = "WHAT[:w|rw|x] [COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct watch_args),
	.runs_command = true,
	.run = cmd_watch_run,
};
