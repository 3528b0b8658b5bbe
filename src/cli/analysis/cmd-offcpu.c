/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom offcpu: show where tasks slept or were blocked, and what woke them. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "actions/analysis/offcpu-run.h"
#include "base/err.h"
#include "cli/report/report-options.h"

#define CHAINS_MAX 10000

static int cmd_offcpu_set_depth(void *data, const char *value, struct fathom_err *err)
{
	struct offcpu_args *args = data;

	if (value[0] < '1' || value[0] > '0' + OFFCPU_DEPTH_MAX || value[1])
		return err_set(err, -EINVAL, "invalid depth '%s': expected 1 to %d", value,
			       OFFCPU_DEPTH_MAX);
	args->depth = (unsigned)(value[0] - '0');
	return 0;
}

static int set_longest(void *data, const char *value, struct fathom_err *err)
{
	struct offcpu_args *args = data;
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (end == value || *end || errno || !n || n > CHAINS_MAX)
		return err_set(err, -EINVAL, "invalid number of waits '%s': expected 1 to %d",
			       value, CHAINS_MAX);
	args->max_chains = n;
	args->chains = true;
	return 0;
}

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_CHOICE('s', "sort", "BY", WAIT_ORDERS, struct offcpu_args, order,
		   "sort order (default: total)"),
	OPT_CALL(0, "depth", "N", cmd_offcpu_set_depth,
		 "show tasks (1), their waits (2), and wakers (default: 3)"),
	OPT_FLAG(0, "chains", struct offcpu_args, chains,
		 "show the longest waits, each followed by the wait of its waker"),
	OPT_CALL(0, "longest", "N", set_longest,
		 "like --chains, for the N longest waits (default: 10)"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_offcpu = {
	.name = "offcpu",
	.summary = "show where tasks slept or were blocked, and wakeups",
	.description =
		"Summarizes the time that tasks spent off the CPU, by state, system call and waker. "
		"The recording needs the events sched_switch and sched_waking, and those of the "
		"'syscalls' or 'raw_syscalls' system for system calls.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct offcpu_args),
	.paged = true,
	.run = offcpu_run,
};
