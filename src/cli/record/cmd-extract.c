/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom extract: write a session's buffers to a file and end it. */
#include "actions/record/extract-run.h"
#include "base/err.h"
#include "cli/kit/commands.h"
#include "cli/session/session-options.h"

static const struct option_def options[] = {
	BUFFER_OPTIONS,
	OPT_STRING('o', "output", "FILE", struct extract_args, output,
		   "write the recording to FILE (default: trace.dat)"),
	OPT_MODE(struct extract_args, mode),
	OPT_FLAG('s', NULL, struct extract_args, snapshot,
		 "write the snapshot instead of the "
		 "buffers"),
	OPT_FLAG('k', "keep", struct extract_args, keep, "don't end the session"),
	OPT_FLAG(0, "date", struct extract_args, date,
		 "store the offset between timestamps and "
		 "the time of day"),
	OPT_FLAG('q', "quiet", struct extract_args, quiet, "print only errors and warnings"),
	OPT_END,
};

static int cmd_extract_run(const struct action *action)
{
	struct fathom_err err = { 0 };

	if (action_takes_no_operands(action, &err) < 0)
		return action_usage_error(action, &err);
	return extract_run(action, action->args);
}

const struct command command_extract = {
	.name = "extract",
	.summary = "write a session's buffers to a file and end it",
	.description =
		"Stops a detached session, writes its buffers to a trace.dat file for 'fathom "
		"report' and trace-cmd, and ends the session: all its settings are restored.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct extract_args),
	.run = cmd_extract_run,
	.done = session_args_done,
};
