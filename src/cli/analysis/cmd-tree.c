/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom tree: where the time went, as a tree of calls. */
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
		return err_set(err, -EINVAL, "'%s' is no depth: a number from 1 to 4096 is", value);
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
		return err_set(err, -EINVAL, "'%s' is no part of the time: '0.5%%' is", value);
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
		return err_set(err, -EINVAL, "'%s' is no number", value);
	return 0;
}

#define ORDERS "total own count max name"

static const struct option_def options[] = {
	OPT_STRING('g', "below", "FUNCTION", struct tree_args, below,
		   "only what is below this function, wherever it was called; '*' and '?' fit all"),
	OPT_STRING(0, "callers", "FUNCTION", struct tree_args, callers,
		   "who called this function, and who called them"),
	OPT_FLAG(0, "flat", struct tree_args, flat, "all functions side by side, without callers"),
	OPT_FLAG(0, "fold", struct tree_args, fold,
		 "locks, RCU, accounting and the like as one line below each function"),
	OPT_STRING(0, "phases", "FILE", struct tree_args, rules,
		   "with --fold: by the rules of this file; see fathom-phases(5)"),
	OPT_FLAG(0, "samples", struct tree_args, samples,
		 "add up samples of CPUs, also if there are calls"),
	OPT_STRING(0, "stacks", "EVENT", struct tree_args, stacks,
		   "add up from where events of this name came, or that fit this glob: each stack "
		   "that was recorded with one (-T, --user-stack) counts once"),
	OPT_CALL('d', "depth", "N", tree_run_set_depth, "show N levels"),
	OPT_CALL(0, "min", "PERCENT", tree_run_set_min,
		 "fold calls that took less of all time into one line; 0.5 by default"),
	OPT_CALL('n', "rows", "N", set_rows, "show the N first at each level, fold the others"),
	OPT_CHOICE('s', "sort", "BY", ORDERS, struct tree_args, tree.order,
		   "which come first: those with the largest total, own, count or max, or by name"),
	REPORT_SELECT_OPTIONS,
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

const struct command command_tree = {
	.name = "tree",
	.summary = "show where the time went, as a tree of calls",
	.description =
		"Adds up the calls of a recording with the tracer function_graph by their path: how "
		"long each function took in all, how much of that was its own, how long it was "
		"off the CPUs or interrupted, and how often it was called. A recording with samples of CPUs "
		"instead is added up alike.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct tree_args),
	.paged = true,
	.run = tree_run,
};
