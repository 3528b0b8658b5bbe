/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom extract: writes the buffers of a kept session to a trace.dat. */
#include <errno.h>

#include "actions/record/extract-run.h"
#include "base/err.h"
#include "cli/kit/commands.h"
#include "cli/session/session-options.h"

static const struct option_def options[] = {
	BUFFER_OPTIONS,
	OPT_STRING('o', NULL, "FILE", struct extract_args, output,
		   "write to FILE, not to trace.dat"),
	OPT_MODE(struct extract_args, mode),
	OPT_FLAG('s', NULL, struct extract_args, snapshot, "write the snapshot"),
	OPT_FLAG('k', "keep", struct extract_args, keep, "do not end the session"),
	OPT_FLAG(0, "date", struct extract_args, date, "let the file tell the time of day"),
	OPT_FLAG('q', "quiet", struct extract_args, quiet, "say nothing but what went wrong"),
	OPT_END,
};

static int cmd_extract_run(const struct action *action)
{
	struct fathom_err err = { 0 };

	if (action->argc) {
		err_set(&err, -EINVAL, "'%s' is too much: there are no operands; -o names the file",
			action->argv[0]);
		return action_usage_error(action, &err);
	}
	return extract_run(action, action->args);
}

const struct command command_extract = {
	.name = "extract",
	.summary = "write what start has traced to a file",
	.description =
		"Stops the session that is kept, writes what is in its buffers to a file that "
		"'fathom report' and trace-cmd read, and ends the session: everything that it has "
		"set is put back.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct extract_args),
	.run = cmd_extract_run,
	.done = session_args_done,
};
