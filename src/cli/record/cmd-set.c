/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom set: change the settings of a session. */
#include "cli/kit/commands.h"

#include "actions/record/start-run.h"
#include "cli/record/start-options.h"

static const struct option_def options[] = {
	START_OPTIONS,
	OPT_GROUP("Session"),
	OPT_STRING(0, "session", "ID", struct start_args, session,
		   "change this session, see 'fathom ps'"),
	OPT_GROUP("Output"),
	START_QUIET_OPTION,
	OPT_END,
};

static int cmd_set_run(const struct action *action)
{
	return start_change(action, action->args);
}

const struct command command_set = {
	.name = "set",
	.summary = "change the settings of a session",
	.description =
		"Changes the given settings of a detached session and nothing else: the "
		"contents of its buffers are preserved, and tracing stays enabled or disabled. "
		"Without a session, a new one is created. Then COMMAND is run, if any. 'fathom "
		"reset' restores all settings.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct start_args),
	.runs_command = true,
	.minds_sessions = true,
	.run = cmd_set_run,
	.done = start_args_done,
};
