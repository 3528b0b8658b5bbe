/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom flame'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_FLAME_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_FLAME_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/time/flame.h"
#define OUTPUT "flame.svg"

struct flame_args {
	struct report_args report; /* must be first */
	struct flame_options flame;
	const char *output, *before, *stacks;
	bool folded, samples;
	mode_t mode; /* of the output */
};

/* Runs with action->args, a struct flame_args. Returns the exit status. */
int flame_run(const struct action *action);

#endif
