/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom clear: empty the buffers of a session. */
#include <fcntl.h>

#include "actions/session/session-use.h"
#include "base/err.h"
#include "base/files/file.h"
#include "cli/kit/commands.h"
#include "cli/session/session-options.h"

static const struct option_def options[] = {
	BUFFER_OPTIONS,
	OPT_END,
};

static int cmd_clear_run(const struct action *action)
{
	_cleanup_session_use_ struct session_use use = { 0 };
	struct fathom_err err = { 0 };
	int r;

	if (action_takes_no_operands(action, &err) < 0)
		return action_usage_error(action, &err);
	r = session_use_open(action->args, &use, &err);
	for (size_t i = 0; i < use.n && r == 0; i++) {
		r = file_write(use.places[i]->fd, "trace", O_TRUNC, "\n");
		if (r < 0)
			err_set_errno(&err, r, "cannot empty buffer '%s'", use.buffers[i]->name);
	}
	return r < 0 ? action_failed(action, &err) : EXIT_OK;
}

const struct command command_clear = {
	.name = "clear",
	.summary = "empty the buffers of a session",
	.description = "Empties the buffers of a detached session. Nothing else changes: "
		       "tracing continues if it is enabled.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct session_args),
	.run = cmd_clear_run,
	.done = session_args_done,
};
