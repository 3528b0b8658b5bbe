/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom diff: what differs between two recordings, or between a slow call and a usual one. */
#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/call-view.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/match.h"
#include "base/sandbox.h"
#include "cli/analysis-input.h"
#include "cli/outlier.h"
#include "cli/trace-input.h"
#include "render/diff.h"

#define MIN_PERMILLE 10

struct diff_args {
	struct report_args report; /* first */
	struct diff_options diff;
	const char *below, *outlier;
	unsigned long depth, rows;
	bool flat, all;
};

static const struct option_def options[] = {
	OPT_STRING(0, "outlier", "FUNCTION", struct diff_args, outlier,
		   "of one recording: the slowest call of this function beside a usual one"),
	OPT_STRING('g', "below", "FUNCTION", struct diff_args, below,
		   "only what is below this function, wherever it was called"),
	OPT_FLAG(0, "flat", struct diff_args, flat, "all functions side by side, without callers"),
	OPT_NUMBER('d', "depth", "N", struct diff_args, depth, "show N levels"),
	OPT_NUMBER('n', "rows", "N", struct diff_args, rows,
		   "show the N largest changes at each level"),
	OPT_FLAG('a', "all", struct diff_args, all,
		 "show all changes; those below 1 % of all time are folded otherwise"),
	REPORT_SELECT_OPTIONS,
	OPT_FLAG('q', "quiet", struct diff_args, report.quiet, "say nothing but the result"),
	OPT_FLAG(0, "json", struct diff_args, report.json, "write JSON"),
	OPT_FLAG(0, "csv", struct diff_args, report.csv, "write comma-separated values"),
	OPT_END,
};

static bool fits(const void *data, const struct func *func)
{
	return func->name && match_test(data, func->name);
}

/* The tree that is to be compared: @tree, or what is made of it in @view. */
static int choose(const struct diff_args *args, const struct call_tree *tree, const char *path,
		  struct call_tree *view, const struct call_tree **ret_tree, struct fathom_err *err)
{
	_cleanup_(match_done) struct match match = { 0 };
	int r;

	*ret_tree = tree;
	if (!args->below && !args->flat)
		return 0;
	*ret_tree = view;
	if (!args->below)
		return call_view_flat(tree, view) < 0 ? err_nomem(err) : 0;
	r = match_init(&match, args->below, MATCH_WHOLE, err);
	if (r < 0)
		return r;
	if (call_view_below(tree, fits, &match, view) < 0)
		return err_nomem(err);
	return view->nodes[CALL_ROOT].child != CALL_NONE ?
		       0 :
		       err_set(err, -ENOENT, "no call of '%s' was recorded in '%s'", args->below,
			       path);
}

static int print(const struct invocation *invocation, const struct call_tree *before,
		 const struct call_tree *after, struct fathom_err *err)
{
	struct diff_args *args = invocation->args;
	_cleanup_(call_diff_done) struct call_diff diff = { 0 };
	int r = call_diff_make(before, after, &diff);

	args->diff = (struct diff_options){ .depth = (unsigned)args->depth,
					    .rows = (unsigned)args->rows,
					    .min_permille = args->all ? 0 : MIN_PERMILLE,
					    .flat = args->flat };
	if (r == 0 && args->report.json)
		r = diff_print_json(&diff, invocation->out);
	else if (r == 0 && args->report.csv)
		r = diff_print_csv(&diff, invocation->out);
	else if (r == 0)
		r = diff_print(&diff, &args->diff, invocation->out);
	return r < 0 ? err_nomem(err) : 0;
}

/* Two recordings. An exit code or a negative errno. */
static int compare(const struct invocation *invocation, struct fathom_err *err)
{
	struct diff_args *args = invocation->args;
	_cleanup_(calls_input_done) struct calls_input before = { 0 }, after = { 0 };
	_cleanup_(call_tree_done) struct call_tree old_view = { 0 }, new_view = { 0 };
	_cleanup_close_ int old = trace_input_open(invocation->argv[0], err);
	_cleanup_close_ int new = old < 0 ? -1 : trace_input_open(invocation->argv[1], err);
	const struct call_tree *trees[2];
	int r;

	if (old < 0 || new < 0)
		return err->code;
	r = sandbox_enter(err);
	if (r >= 0)
		r = calls_input_read(&before, &args->report, TAKE_FD(old), invocation->argv[0],
				     err);
	if (r == 0)
		r = calls_input_read(&after, &args->report, TAKE_FD(new), invocation->argv[1], err);
	if (r == 0)
		r = choose(args, before.tree, invocation->argv[0], &old_view, &trees[0], err);
	if (r == 0)
		r = choose(args, after.tree, invocation->argv[1], &new_view, &trees[1], err);
	if (r == 0)
		r = print(invocation, trees[0], trees[1], err);
	if (r < 0)
		return r;
	r = analysis_input_tell(&before.input, invocation->command);
	return analysis_input_tell(&after.input, invocation->command) ?: r;
}

/* Two calls of one function. */
static int find_outlier(const struct invocation *invocation, struct fathom_err *err)
{
	struct diff_args *args = invocation->args;
	const char *path = invocation->argc ? invocation->argv[0] : "trace.dat";
	_cleanup_(outlier_done) struct outlier outlier = { 0 };
	int fd = analysis_input_enter(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = outlier_read(&outlier, &args->report, fd, path, args->outlier, err);
	if (r < 0)
		return r;
	if (!args->report.json && !args->report.csv)
		outlier_print_head(&outlier, invocation->out);
	r = print(invocation, outlier.usual, outlier.slowest, err);
	return r < 0 ? r : analysis_input_tell(&outlier.input, invocation->command);
}

static int run(const struct invocation *invocation)
{
	struct diff_args *args = invocation->args;
	struct fathom_err err = { 0 };
	int r;

	if (args->outlier && invocation->argc > 1)
		err_set(&err, -EINVAL, "--outlier is about one file");
	else if (!args->outlier && invocation->argc != 2)
		err_set(&err, -EINVAL, "name two files, the old one first");
	else if (args->outlier && (args->below || args->flat))
		err_set(&err, -EINVAL, "--outlier has neither --below nor --flat");
	else if (args->below && args->flat)
		err_set(&err, -EINVAL, "choose one of --below and --flat");
	else if (args->report.json && args->report.csv)
		err_set(&err, -EINVAL, "choose one of --json and --csv");
	if (err.code)
		return command_usage_error(invocation->command, &err);
	r = args->outlier ? find_outlier(invocation, &err) : compare(invocation, &err);
	return r < 0 ? command_failed(invocation->command, &err) : r;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "show what takes longer in one recording than in another",
	.description =
		"Lays the trees of calls of two recordings with the tracer function_graph on one "
		"another and shows what is new, gone, slower or faster. With --outlier it compares "
		"the slowest call of a function with a usual one of the same recording, and tells "
		"which branch explains the difference.",
	.operands = "BEFORE AFTER",
	.options = options,
	.args_size = sizeof(struct diff_args),
	.paged = true,
	.run = run,
};
