/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom stream'. */
#ifndef FATHOM_ACTIONS_RECORD_STREAM_RUN_H
#define FATHOM_ACTIONS_RECORD_STREAM_RUN_H

#include <stdbool.h>

#include "actions/action.h"
#include "actions/plan/plan-args.h"
#include "actions/report/report-args.h"

struct stream_args {
	struct plan_args plan; /* must be first, see PLAN_OPTIONS */
	struct report_args report; /* output format */
	const char *user; /* user who runs the command */
	bool quiet;
};

/* Traces, and prints events as they arrive. Returns the exit status. */
int stream_run(const struct action *action, struct stream_args *args);

#endif
