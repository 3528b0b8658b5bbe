/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom critical`, once its options are read. */
#ifndef FATHOM_ACTIONS_ANALYSIS_CRITICAL_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_CRITICAL_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

struct critical_args {
	struct report_args report; /* first */
	const char *task;
	uint64_t min;
	bool has_min;
};

/* @args of the action is a struct critical_args. The exit code. */
int critical_run(const struct action *action);

#endif
