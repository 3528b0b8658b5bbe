/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom io'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_IO_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_IO_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/waits/io.h"

struct io_args {
	struct report_args report; /* must be first */
	unsigned order; /* enum io_order */
	unsigned long rows;
	bool no_map, ascii;
};

/* Runs with action->args, a struct io_args. Returns the exit status. */
int io_run(const struct action *action);

#endif
