/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom diff'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_DIFF_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_DIFF_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/command/diff.h"

struct diff_args {
	struct report_args report; /* must be first */
	struct diff_options diff;
	const char *below, *outlier;
	unsigned long depth, rows, before;
	bool flat, all, syscalls;
};

/* Runs with action->args, a struct diff_args. Returns the exit status. */
int diff_run(const struct action *action);

#endif
