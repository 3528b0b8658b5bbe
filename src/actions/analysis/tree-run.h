/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom tree'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_TREE_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_TREE_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/time/tree.h"

struct tree_args {
	struct report_args report; /* must be first */
	struct tree_options tree;
	const char *below, *callers, *rules, *stacks;
	bool flat, fold, has_min, samples;
};

/* Runs with action->args, a struct tree_args. Returns the exit status. */
int tree_run(const struct action *action);

#endif
