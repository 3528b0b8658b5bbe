/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom critical: what a task had to wait for in the end. */
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
	OPT_CALL(0, "min", "TIME", critical_run_set_min,
		 "fold neighbours in the list that took less, such as '20us'; 0 shows all"),
	OPT_STRING(0, "from", "TIME", struct report_args, from,
		   "begin at this time: seconds, '15ms', or '+2s' from the start"),
	OPT_STRING(0, "to", "TIME", struct report_args, to, "end at this time"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_critical = {
	.name = "critical",
	.summary = "show what a task had to wait for in the end",
	.description =
		"Tells for each moment of a task's life what kept it from being done earlier: "
		"its own work, or when it waited, what those did, and waited for, who ended the "
		"wait: tasks, devices, timers, a CPU that was not free. TASK is a pid, or a name "
		"in which '*' and '?' fit all. The recording needs the events sched_switch and "
		"sched_waking.",
	.operands = "TASK [FILE]",
	.options = options,
	.args_size = sizeof(struct critical_args),
	.paged = true,
	.run = critical_run,
};
