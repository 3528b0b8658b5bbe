/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom restart: resume a stopped session. */
#include "cli/kit/commands.h"

#include "actions/session/session-use.h"
#include "cli/session/session-options.h"

static const struct option_def options[] = {
	BUFFER_OPTIONS,
	OPT_END,
};

static int cmd_restart_run(const struct action *action)
{
	return session_switch(action, true);
}

const struct command command_restart = {
	.name = "restart",
	.summary = "resume a stopped session",
	.description = "Resumes a detached session that 'fathom stop' or a trigger has stopped.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct session_args),
	.run = cmd_restart_run,
	.done = session_args_done,
};
