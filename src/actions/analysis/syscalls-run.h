/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom syscalls'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_SYSCALLS_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_SYSCALLS_RUN_H

#include "actions/action.h"
#include "actions/analysis/syscall-list-run.h"
#include "actions/report/report-args.h"

/* Calls with a breakdown; the names are in SYSCALLS_BREAKDOWNS, in the same order. */
#define SYSCALLS_BREAKDOWNS "auto top all none"
enum {
	BREAKDOWN_AUTO,
	BREAKDOWN_TOP,
	BREAKDOWN_ALL,
	BREAKDOWN_NONE,
};

struct syscalls_args {
	struct report_args report; /* must be first */
	struct syscall_list_args list;
	const char *names, *rules;
	unsigned order, breakdown;
	bool raw;
};

/* Runs with action->args, a struct syscalls_args. Returns the exit status. */
int syscalls_run(const struct action *action);

#endif
