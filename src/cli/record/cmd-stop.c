/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stop: pause a session. */
#include "cli/kit/commands.h"

#include "actions/session/session-use.h"
#include "cli/session/session-options.h"

static const struct option_def options[] = {
	BUFFER_OPTIONS,
	OPT_END,
};

static int cmd_stop_run(const struct action *action)
{
	return session_switch(action, false);
}

const struct command command_stop = {
	.name = "stop",
	.summary = "pause a session; keep its buffers and settings",
	.description =
		"Pauses a detached session; its buffers and settings are preserved. 'fathom "
		"restart' resumes it, 'fathom extract' writes the buffers to a file, 'fathom "
		"reset' ends the session.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct session_args),
	.run = cmd_stop_run,
	.done = session_args_done,
};
