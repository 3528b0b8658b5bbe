/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom tree: show time by call path. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "actions/analysis/tree-run.h"
#include "base/err.h"
#include "cli/report/report-options.h"

static int tree_run_set_depth(void *data, const char *value, struct fathom_err *err)
{
	struct tree_args *args = data;
	char *end;

	errno = 0;
	args->tree.depth = (unsigned)strtoul(value, &end, 10);
	if (end == value || *end || errno || !args->tree.depth || args->tree.depth > 4096)
		return err_set(err, -EINVAL, "invalid depth '%s': expected 1 to 4096", value);
	return 0;
}

static int tree_run_set_min(void *data, const char *value, struct fathom_err *err)
{
	struct tree_args *args = data;
	char *end;
	double percent = strtod(value, &end);

	if (*end == '%')
		end++;
	if (end == value || *end || !(percent >= 0 && percent <= 100))
		return err_set(err, -EINVAL,
			       "invalid percentage '%s': expected a value such as 0.5%%", value);
	args->tree.min_permille = (unsigned)(percent * 10 + 0.5);
	args->has_min = true;
	return 0;
}

static int set_rows(void *data, const char *value, struct fathom_err *err)
{
	struct tree_args *args = data;
	char *end;

	errno = 0;
	args->tree.rows = (unsigned)strtoul(value, &end, 10);
	if (end == value || *end || errno)
		return err_set(err, -EINVAL, "invalid number of rows '%s'", value);
	return 0;
}

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_STRING(
		'g', "below", "FUNCTION", struct tree_args, below,
		"show only calls below this function, wherever it is called from; may contain '*' and '?'"),
	OPT_STRING(0, "callers", "FUNCTION", struct tree_args, callers,
		   "show the callers of this function, and their callers"),
	OPT_FLAG(0, "flat", struct tree_args, flat, "list all functions, without call paths"),
	OPT_FLAG(0, "fold", struct tree_args, fold,
		 "fold locks, RCU, accounting and similar noise into one line below each function"),
	OPT_STRING(0, "phases", "FILE", struct tree_args, rules,
		   "with --fold, read phase rules from FILE, see fathom-phases(5)"),
	OPT_FLAG(0, "samples", struct tree_args, samples,
		 "add up CPU samples, even if there are calls"),
	OPT_STRING(0, "stacks", "EVENT", struct tree_args, stacks,
		   "add up the stack traces of EVENT, a name or a glob, instead of calls"),
	OPT_CALL('d', "depth", "N", tree_run_set_depth, "show N levels (default: all)"),
	OPT_CALL(0, "min", "PERCENT", tree_run_set_min,
		 "fold calls below this percentage of the total time into one line (default: 0.5)"),
	OPT_CALL('n', "rows", "N", set_rows,
		 "show the first N calls at each level, fold the others"),
	OPT_CHOICE('s', "sort", "BY", TREE_ORDERS, struct tree_args, tree.order,
		   "sort order (default: total)"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_tree = {
	.name = "tree",
	.summary = "show time by call path",
	.description =
		"Adds up the calls of a function_graph recording by call path: total time, self "
		"time, time off the CPU and in interrupts, and number of calls. If a recording has "
		"CPU samples instead of calls, they are added up.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct tree_args),
	.paged = true,
	.run = tree_run,
};
