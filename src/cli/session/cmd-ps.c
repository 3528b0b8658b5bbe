/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom ps: the sessions of fathom, and other tracing that is on. */
#include "cli/kit/commands.h"

#include "actions/session/ps-run.h"
#include "render/kit/json.h"

static const struct option_def options[] = {
	OPT_FLAG(0, "json", struct ps_args, json, "print the result as JSON"),
	OPT_END,
};

const struct command command_ps = {
	.name = "ps",
	.summary = "list sessions, and other tracing that is on",
	.description =
		"Lists the sessions of fathom on this machine: those at work, those that were "
		"kept, and those that have ended without putting their settings back; and "
		"what else traces through the kernel right now.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct ps_args),
	.minds_sessions = true,
	.run = ps_run,
};
