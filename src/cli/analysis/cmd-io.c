/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom io: show block device latency, with a heat map. */
#include "cli/kit/commands.h"

#include "actions/analysis/io-run.h"
#include "cli/report/report-options.h"

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_CHOICE('s', "sort", "BY", IO_ORDERS, struct io_args, order,
		   "sort order (default: total)"),
	OPT_NUMBER('n', "rows", "N", struct io_args, rows, "show only the first N rows"),
	OPT_FLAG(0, "no-map", struct io_args, no_map, "don't show the heat map"),
	OPT_FLAG(0, "ascii", struct io_args, ascii, "draw the heat map with ASCII characters"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_io = {
	.name = "io",
	.summary = "show block device latency, with a heat map",
	.description =
		"Summarizes the requests to block devices of a recording with the events of the "
		"'block' system, by device and operation: number, size, errors, latency and time in "
		"the queue. A heat map shows latency over time.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct io_args),
	.paged = true,
	.run = io_run,
};
