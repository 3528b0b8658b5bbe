/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom start: start tracing into the kernel's buffers and return. */
#include "cli/kit/commands.h"

#include "actions/record/start-run.h"
#include "cli/record/start-options.h"

static const struct option_def options[] = {
	START_OPTIONS,
	OPT_GROUP("Session"),
	OPT_FLAG(0, "also", struct start_args, also,
		 "start another session next to existing "
		 "ones"),
	OPT_GROUP("Output"),
	START_QUIET_OPTION,
	OPT_END,
};

static int cmd_start_run(const struct action *action)
{
	return start_run(action, action->args);
}

const struct command command_start = {
	.name = "start",
	.summary = "start tracing into the kernel's buffers and return",
	.description =
		"Sets up a tracer and events, enables tracing, and runs COMMAND, if any. The "
		"kernel keeps tracing into its buffers until 'fathom stop'. 'fathom show' "
		"prints them, 'fathom extract' writes them to a file, and 'fathom reset' ends "
		"the session and restores all settings.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct start_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_start_run,
	.done = start_args_done,
};
