/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom reset: puts back what sessions have left; with --all, switches all tracing off. */
#include "cli/kit/commands.h"

#include "actions/session/reset-run.h"

static const struct option_def options[] = {
	OPT_FLAG('a', "all", struct reset_args, all,
		 "switch off all tracing through ftrace, of whoever; asks before"),
	OPT_FLAG('y', "yes", struct reset_args, yes, "do not ask"),
	OPT_END,
};

const struct command command_reset = {
	.name = "reset",
	.summary = "put back what a broken-off or kept session has set",
	.description =
		"Puts the kernel's tracing settings back to what they were before the sessions that "
		"have ended without doing so, and before those that were kept on purpose; with "
		"SESSION, before these only. Sessions at work are not touched. With --all, all "
		"tracing through ftrace is switched off, whoever uses it.",
	.operands = "[SESSION...]",
	.options = options,
	.args_size = sizeof(struct reset_args),
	.minds_sessions = true,
	.run = reset_run,
};
