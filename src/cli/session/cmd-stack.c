/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stack: show the deepest kernel stack seen so far. */
#include "cli/kit/commands.h"

#include "actions/session/stack-run.h"
#include "render/kit/json.h"

static const struct option_def options[] = {
	OPT_FLAG(0, "start", struct stack_args, start, "enable the stack tracer"),
	OPT_FLAG(0, "stop", struct stack_args, stop, "disable it"),
	OPT_FLAG(0, "reset", struct stack_args, reset, "discard the stored stack"),
	OPT_FLAG(0, "json", struct stack_args, json, "print JSON"),
	OPT_FLAG(0, "csv", struct stack_args, csv, "print the frames as comma-separated values"),
	OPT_END,
};

const struct command command_stack = {
	.name = "stack",
	.summary = "show the deepest kernel stack seen so far",
	.description = "The kernel's stack tracer checks the depth of the kernel stack at each "
		       "function call and stores the deepest stack. --start enables it; without "
		       "options, the stored stack is shown.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct stack_args),
	.run = stack_run,
};
