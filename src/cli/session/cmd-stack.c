/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stack: the deepest stack that the kernel has seen, by its stack tracer. */
#include "cli/kit/commands.h"

#include "actions/session/stack-run.h"
#include "render/kit/json.h"

static const struct option_def options[] = {
	OPT_FLAG(0, "start", struct stack_args, start, "switch the stack tracer on"),
	OPT_FLAG(0, "stop", struct stack_args, stop, "switch it off"),
	OPT_FLAG(0, "reset", struct stack_args, reset, "begin anew with the deepest stack"),
	OPT_FLAG(0, "json", struct stack_args, json, "print the result as JSON"),
	OPT_END,
};

const struct command command_stack = {
	.name = "stack",
	.summary = "show the deepest stack that the kernel has used",
	.description =
		"The kernel's stack tracer looks at the stack with each function call, and keeps the "
		"deepest that it has seen. It is switched on with --start; without an option "
		"the deepest stack so far is shown.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct stack_args),
	.run = stack_run,
};
