/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom syscalls: which system calls took the time, and which failed. */
#include "cli/commands.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "cli/analysis-input.h"
#include "render/syscalls.h"

struct syscalls_args {
	struct report_args report; /* first */
	unsigned order;
};

#define ORDERS "total count errors max name"

static const struct option_def options[] = {
	OPT_CHOICE('s', "sort", "BY", ORDERS, struct syscalls_args, order,
		   "which come first: those with the largest total, count, errors or max, or by "
		   "name"),
	REPORT_SELECT_OPTIONS,
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

static void take(void *data, const struct happening *happening)
{
	syscalls_feed(data, happening);
}

static int print(const struct invocation *invocation, struct syscalls *syscalls,
		 struct fathom_err *err)
{
	const struct syscalls_args *args = invocation->args;
	enum syscalls_order order = (enum syscalls_order)args->order;
	int r;

	if (args->report.json)
		r = syscalls_print_json(syscalls, order, invocation->out);
	else if (args->report.csv)
		r = syscalls_print_csv(syscalls, order, invocation->out);
	else
		r = syscalls_print(syscalls, order, invocation->out);
	return r < 0 ? err_nomem(err) : 0;
}

static int work(const struct invocation *invocation, const char *path, struct fathom_err *err)
{
	struct syscalls_args *args = invocation->args;
	_cleanup_(analysis_input_done) struct analysis_input input = { 0 };
	_cleanup_(syscalls_done) struct syscalls syscalls = { 0 };
	int fd = analysis_input_enter(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = analysis_input_open(&input, &args->report, fd, path, err);
	if (r < 0)
		return r;
	input.feed.filtered = SYSCALLS_FILTERED;
	r = feed_run(&input.feed, take, &syscalls, err);
	if (r < 0)
		return r;
	if (syscalls_finish(&syscalls) < 0)
		return err_nomem(err);
	if (!input.feed.n_counted)
		return err_set(err, -ENODATA,
			       "there are no system calls in '%s'; record some with 'fathom record "
			       "-e syscalls -e sched_switch'",
			       path);
	r = print(invocation, &syscalls, err);
	return r < 0 ? r : analysis_input_tell(&input, invocation->command);
}

static int run(const struct invocation *invocation)
{
	return analysis_run(invocation, work);
}

const struct command command_syscalls = {
	.name = "syscalls",
	.summary = "show which system calls took the time, and which failed",
	.description =
		"Adds up the system calls of a recording with the events of the system 'syscalls' "
		"(or 'raw_syscalls'): how long they took, how long their tasks were asleep in "
		"them, how often they were made, and with which errors they failed.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct syscalls_args),
	.paged = true,
	.run = run,
};
