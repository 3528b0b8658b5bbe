/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom reset: restore settings that a session left behind. */
#include "cli/kit/commands.h"

#include "actions/session/reset-run.h"

static const struct option_def options[] = {
	OPT_FLAG('a', "all", struct reset_args, all,
		 "disable all ftrace-based tracing on this machine; asks first"),
	OPT_FLAG('y', "yes", struct reset_args, yes, "don't ask"),
	OPT_END,
};

const struct command command_reset = {
	.name = "reset",
	.summary = "restore settings that a session left behind",
	.description =
		"Restores the kernel's tracing settings for sessions that ended without doing "
		"so, and ends detached sessions; with SESSION, only these. Active sessions are "
		"not touched. --all disables all tracing through ftrace, no matter who uses it.",
	.operands = "[SESSION...]",
	.options = options,
	.args_size = sizeof(struct reset_args),
	.minds_sessions = true,
	.run = reset_run,
};
