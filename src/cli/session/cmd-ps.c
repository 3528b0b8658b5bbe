/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom ps: list sessions and other users of tracing. */
#include "cli/kit/commands.h"

#include "actions/session/ps-run.h"
#include "render/kit/json.h"

static const struct option_def options[] = {
	OPT_FLAG(0, "json", struct ps_args, json, "print JSON"),
	OPT_FLAG(0, "csv", struct ps_args, csv, "print the sessions as comma-separated values"),
	OPT_END,
};

const struct command command_ps = {
	.name = "ps",
	.summary = "list sessions and other users of tracing",
	.description =
		"Lists the sessions of fathom on this machine: active ones, detached ones, and "
		"those that ended without restoring their settings; and other users of kernel "
		"tracing.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct ps_args),
	.minds_sessions = true,
	.run = ps_run,
};
