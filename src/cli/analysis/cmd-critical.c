/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom critical: show a task's critical path. */
#include "cli/kit/commands.h"

#include <stdlib.h>

#include "actions/analysis/critical-run.h"
#include "actions/input/time-arg.h"
#include "base/cleanup.h"
#include "cli/report/report-options.h"

static int critical_run_set_min(void *data, const char *value, struct fathom_err *err)
{
	struct critical_args *args = data;

	args->has_min = true;
	return time_arg_span(value, &args->min, err);
}

static const struct option_def options[] = {
	OPT_CALL(0, "min", "DURATION", critical_run_set_min,
		 "merge adjacent entries shorter than DURATION, for example 20us; 0 shows all"),
	OPT_STRING(0, "from", "TIME", struct report_args, from,
		   "start at this time: seconds, '15ms', or '+2s' from the start"),
	OPT_STRING(0, "to", "TIME", struct report_args, to, "end at this time"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_critical = {
	.name = "critical",
	.summary = "show a task's critical path",
	.description =
		"Shows the chain of work and waits that determined when a task finished: its own "
		"work or, while it waited, the work of whatever woke it, recursively. TASK is a PID, "
		"or a name that may contain '*' and '?'. The recording needs the events sched_switch "
		"and sched_waking.",
	.operands = "TASK [FILE]",
	.options = options,
	.args_size = sizeof(struct critical_args),
	.paged = true,
	.run = critical_run,
};
