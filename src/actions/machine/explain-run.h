/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom explain`, once its options are read. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_RUN_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

struct explain_args {
	struct report_args report; /* first */
	const char *source, *vmlinux;
	bool recorded;
};

/* @args of the action is a struct explain_args. The exit code. */
int explain_run(const struct action *action);

#endif
