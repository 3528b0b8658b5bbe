/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom stats'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_STATS_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_STATS_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

/* The items that rows count; STATS_BYS has their names, in the same order. */
#define STATS_BYS "event function syscall task cpu"
enum stats_by {
	BY_EVENT,
	BY_FUNCTION,
	BY_SYSCALL,
	BY_TASK,
	BY_CPU,
};

struct stats_args {
	struct report_args report; /* must be first */
	unsigned by; /* enum stats_by */
	unsigned order; /* enum stats_order, of both tables */
	unsigned long rows;
	const char *histogram;
	bool linear, with_times;
};

/* Runs with action->args, a struct stats_args. Returns the exit status. */
int stats_run(const struct action *action);

#endif
