/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom irqs: show interrupt handler times and softirq latency. */
#include "cli/kit/commands.h"

#include "actions/analysis/irqs-run.h"
#include "cli/report/report-options.h"

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_FLAG('C', "cpus", struct irqs_args, by_cpu, "show a row per interrupt and CPU"),
	OPT_CHOICE('s', "sort", "BY", IRQS_ORDERS, struct irqs_args, order,
		   "sort order (default: total)"),
	OPT_NUMBER('n', "rows", "N", struct irqs_args, rows, "show only the first N rows"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_irqs = {
	.name = "irqs",
	.summary = "show interrupt handler times and softirq latency",
	.description =
		"Summarizes the interrupts of a recording with the events of the 'irq' system: how "
		"often and for how long each handler ran, and the latency of softirqs from being "
		"raised to running.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct irqs_args),
	.paged = true,
	.run = irqs_run,
};
