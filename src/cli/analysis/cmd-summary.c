/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom summary: show a recording as 'fathom run' does. */
#include "cli/kit/commands.h"

#include <errno.h>

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/summary-run.h"
#include "base/err.h"
#include "cli/analysis/summary-options.h"
#include "cli/report/report-options.h"
#include "render/command/summary.h"

struct summary_args {
	struct report_args report; /* must be first */
	struct summary_options options;
	const char *table;
};

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	SUMMARY_OPTIONS(struct summary_args, options),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	OPT_FLAG('q', "quiet", struct summary_args, report.quiet, "don't suggest further commands"),
	OPT_FLAG(0, "json", struct summary_args, report.json, "print JSON"),
	OPT_FLAG(0, "csv", struct summary_args, report.csv,
		 "print a table as comma-separated values"),
	{ .kind = OPTION_STRING,
	  .name = "table",
	  .arg = "TABLE",
	  .choices = SUMMARY_TABLES,
	  .offset = offsetof(struct summary_args, table),
	  .help = "the table that --csv prints, by its name in JSON (default: syscalls)" },
	OPT_END,
};

static int cmd_summary_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct summary_args *args = action->args;

	return summary_run(action, &args->report, &args->options, path, action->out, err);
}

static int cmd_summary_run(const struct action *action)
{
	struct summary_args *args = action->args;
	struct fathom_err err = { 0 };

	if (args->table && !args->report.csv)
		err_set(&err, -EINVAL, "--table requires --csv");
	else if (args->table && !summary_table_find(args->table, &args->options.table))
		err_set(&err, -EINVAL, "no table '%s': expected one of " SUMMARY_TABLES,
			args->table);
	if (err.code)
		return action_usage_error(action, &err);
	return analysis_run(action, cmd_summary_work);
}

const struct command command_summary = {
	.name = "summary",
	.summary = "show a recording as 'fathom run' does",
	.description =
		"Prints the screen of 'fathom run' for an existing recording: where the time "
		"went, system calls and what the kernel did in them, waits, files and "
		"failed calls.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct summary_args),
	.paged = true,
	.run = cmd_summary_run,
};
