/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom start: sets tracing up, switches it on, and leaves it to itself. */
#include "cli/kit/commands.h"

#include "actions/record/start-run.h"
#include "cli/record/start-options.h"

static const struct option_def options[] = {
	START_OPTIONS,
	OPT_FLAG(0, "also", struct start_args, also, "begin one beside a session that is kept"),
	OPT_END,
};

static int cmd_start_run(const struct action *action)
{
	return start_run(action, action->args);
}

const struct command command_start = {
	.name = "start",
	.summary = "switch tracing on and leave it so",
	.description =
		"Sets up the tracer and events that are asked for, switches tracing on, runs COMMAND "
		"if there is one, and leaves it all so: the kernel traces into its buffers until "
		"'fathom stop'. 'fathom show' shows them, 'fathom extract' writes them to a file, "
		"'fathom reset' ends it all and puts every setting back.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct start_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_start_run,
	.done = start_args_done,
};
