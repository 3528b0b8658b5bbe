/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom watch: who touches this variable? */
#include "cli/kit/commands.h"

#include "actions/input/time-arg.h"
#include "actions/probe/watch-run.h"

static int on_for(void *args, const char *value, struct fathom_err *err)
{
	return time_arg_span(value, &((struct watch_args *)args)->span, err);
}

static const struct option_def options[] = {
	OPT_NUMBER('p', "pid", "PID", struct watch_args, pid,
		   "watch memory of this process, and of those that it starts"),
	OPT_FLAG(0, "kernel", struct watch_args, kernel, "watch memory of the kernel"),
	OPT_FLAG('T', "stack", struct watch_args, stacks, "show the stack of each hit"),
	OPT_NUMBER('n', "count", "N", struct watch_args, count, "stop after N hits"),
	OPT_CALL(0, "for", "TIME", on_for, "stop after this time, such as 10s"),
	OPT_FLAG('x', "hex", struct watch_args, hex, "show all values in hexadecimal"),
	OPT_FLAG(0, "json", struct watch_args, json, "one JSON object per hit and line"),
	OPT_NUMBER('b', "buffer-size", "KB", struct watch_args, buffer_kb,
		   "size of the buffer of each CPU; 2048 if not given"),
	OPT_STRING(0, "user", "USER", struct watch_args, user, "run the command as this user"),
	OPT_FLAG('q', "quiet", struct watch_args, quiet,
		 "print hits only, and what went wrong: no heading, no summary"),
	OPT_END,
};

static int cmd_watch_run(const struct action *action)
{
	return watch_run(action, action->args);
}

const struct command command_watch = {
	.name = "watch",
	.summary = "show who touches a variable, and what becomes of it",
	.description =
		"Lets the CPU itself watch a variable of a program or of the kernel, and prints each "
		"write to it as it happens: when, which task, the value before and after, and the "
		"function that did it. WHAT is a symbol or an address, as in 'counter', "
		"'table+16/4', 'main:x'; behind ':' stands what to watch for: w writes (if nothing is "
		"said), rw reads as well, x that the instruction is reached. Threads and child "
		"processes are watched, too.",
	.operands = "WHAT[+OFFSET][/LENGTH][:w|rw|x] [COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct watch_args),
	.runs_command = true,
	.run = cmd_watch_run,
};
