/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom irqs'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_IRQS_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_IRQS_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/waits/irqs.h"

struct irqs_args {
	struct report_args report; /* must be first */
	unsigned order; /* enum irqs_order */
	unsigned long rows;
	bool by_cpu;
};

/* Runs with action->args, a struct irqs_args. Returns the exit status. */
int irqs_run(const struct action *action);

#endif
