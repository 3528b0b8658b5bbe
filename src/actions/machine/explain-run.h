/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom explain'. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_RUN_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

struct explain_args {
	struct report_args report; /* must be first */
	const char *source, *vmlinux;
	bool recorded;
};

/* Runs with action->args, a struct explain_args. Returns the exit status. */
int explain_run(const struct action *action);

#endif
