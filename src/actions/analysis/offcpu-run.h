/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom offcpu'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_OFFCPU_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_OFFCPU_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/waits/offcpu.h"

#define OFFCPU_DEPTH_MAX 3

struct offcpu_args {
	struct report_args report; /* must be first */
	unsigned order; /* enum wait_order */
	unsigned depth; /* 0: OFFCPU_DEPTH_MAX */
	bool chains;
	size_t max_chains; /* 0: the default */
};

/* Runs with action->args, a struct offcpu_args. Returns the exit status. */
int offcpu_run(const struct action *action);

#endif
