/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom sched'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_SCHED_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_SCHED_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/waits/sched.h"

struct sched_args {
	struct report_args report; /* must be first */
	unsigned order; /* enum sched_order */
	bool cpus, histograms;
};

/* Runs with action->args, a struct sched_args. Returns the exit status. */
int sched_run(const struct action *action);

#endif
