/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom clear: empty the buffers of a session. */
#include "actions/session/session-use.h"
#include "cli/kit/commands.h"
#include "cli/session/session-options.h"

static const struct option_def options[] = {
	BUFFER_OPTIONS,
	OPT_END,
};

const struct command command_clear = {
	.name = "clear",
	.summary = "empty the buffers of a session",
	.description = "Empties the buffers of a detached session. Nothing else changes: "
		       "tracing continues if it is enabled.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct session_args),
	.run = session_clear,
	.done = session_args_done,
};
