/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom critical'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_CRITICAL_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_CRITICAL_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

struct critical_args {
	struct report_args report; /* must be first */
	const char *task;
	uint64_t min;
	bool has_min;
};

/* Runs with action->args, a struct critical_args. Returns the exit status. */
int critical_run(const struct action *action);

#endif
