/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom set: changes settings of tracing, and leaves them so. */
#include "cli/kit/commands.h"

#include "actions/record/start-run.h"
#include "cli/record/start-options.h"

static const struct option_def options[] = {
	START_OPTIONS,
	OPT_STRING(0, "session", "ID", struct start_args, session,
		   "change this session, as 'fathom ps' lists it"),
	OPT_END,
};

static int cmd_set_run(const struct action *action)
{
	return start_change(action, action->args);
}

const struct command command_set = {
	.name = "set",
	.summary = "change settings of what start began",
	.description =
		"Changes what is asked for in the session that is kept, and nothing else: its "
		"buffers keep what they hold, and tracing stays on or off. Without such a session a new "
		"one is begun. Then COMMAND is run, if there is one. 'fathom reset' puts all back.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct start_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_set_run,
	.done = start_args_done,
};
