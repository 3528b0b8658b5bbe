/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom recover: finishes recordings whose recorder has died. */
#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/commands.h"
#include "record/recover.h"

static const struct option_def options[] = { OPT_END };

static int run(const struct invocation *invocation)
{
	char name[] = "trace.dat", *usual[] = { name };
	char **paths = invocation->argc ? invocation->argv : usual;
	int n = invocation->argc ?: 1, code = EXIT_OK;

	for (int i = 0; i < n; i++) {
		struct fathom_err err = { 0 };
		struct trace_out_result result;

		if (recording_recover(paths[i], &result, &err) < 0)
			code = command_failed(invocation->command, &err);
		else
			out_printf(invocation->out, OUT_PLAIN, "'%s' is finished: %.1f MB\n",
				   paths[i], (double)result.size / 1e6);
	}
	return code;
}

const struct command command_recover = {
	.name = "recover",
	.summary = "finish a recording whose recorder died",
	.description =
		"Finishes a recording in place, so that it has no holes and every reader takes "
		"it for a whole one. Nothing that reached the file is lost; an unfinished "
		"recording can also be read as it is.",
	.operands = "[FILE...]",
	.options = options,
	.run = run,
};
