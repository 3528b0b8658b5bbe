/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom tree: where the time went, as a tree of calls. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/calls/call-view.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "actions/analysis/analysis-input.h"
#include "actions/analysis/phases-input.h"
#include "actions/input/trace-input.h"
#include "render/time/tree.h"
#include "cli/report/report-options.h"

#define MIN_PERMILLE 5

struct tree_args {
	struct report_args report; /* first */
	struct tree_options tree;
	const char *below, *callers, *rules, *stacks;
	bool flat, fold, has_min, samples;
};

static int cmd_tree_set_depth(void *data, const char *value, struct fathom_err *err)
{
	struct tree_args *args = data;
	char *end;

	errno = 0;
	args->tree.depth = (unsigned)strtoul(value, &end, 10);
	if (end == value || *end || errno || !args->tree.depth || args->tree.depth > 4096)
		return err_set(err, -EINVAL, "'%s' is no depth: a number from 1 to 4096 is", value);
	return 0;
}

static int cmd_tree_set_min(void *data, const char *value, struct fathom_err *err)
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
	OPT_CALL('d', "depth", "N", cmd_tree_set_depth, "show N levels"),
	OPT_CALL(0, "min", "PERCENT", cmd_tree_set_min,
		 "fold calls that took less of all time into one line; 0.5 by default"),
	OPT_CALL('n', "rows", "N", set_rows, "show the N first at each level, fold the others"),
	OPT_CHOICE('s', "sort", "BY", ORDERS, struct tree_args, tree.order,
		   "which come first: those with the largest total, own, count or max, or by name"),
	REPORT_SELECT_OPTIONS,
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

/* The tree that was asked for; @view is made when it is another than @tree. */
static int cmd_tree_choose(const struct tree_args *args, const struct call_tree *tree,
			   struct call_tree *view, const struct call_tree **ret_tree,
			   struct fathom_err *err)
{
	_cleanup_(match_done) struct match match = { 0 };
	const char *name = args->below ?: args->callers;
	int r = 0;

	*ret_tree = tree;
	if (name) {
		r = match_init(&match, name, MATCH_WHOLE, err);
		if (r < 0)
			return r;
	}
	if (args->below)
		r = call_view_below(tree, analysis_fits, &match, view);
	else if (args->callers)
		r = call_view_callers(tree, analysis_fits, &match, view);
	else if (args->flat)
		r = call_view_flat(tree, view);
	else
		return 0;
	if (r < 0)
		return err_nomem(err);
	*ret_tree = view;
	if (name && view->nodes[CALL_ROOT].child == CALL_NONE)
		return err_set(err, -ENOENT,
			       "no call of '%s' was recorded; 'fathom tree --flat' shows all "
			       "functions that were",
			       name);
	return 0;
}

/* The same, with noise folded: before calls are put side by side, but inside of what was chosen. */
static int choose_folded(const struct tree_args *args, const struct call_tree *tree,
			 struct call_tree *view, struct call_tree *folded,
			 const struct phases *phases, const struct call_tree **ret_tree,
			 struct fathom_err *err)
{
	int r;

	if (args->below) {
		r = cmd_tree_choose(args, tree, view, &tree, err);
		if (r < 0)
			return r;
	}
	if (call_view_folded(tree, phases, !args->below, folded) < 0)
		return err_nomem(err);
	*ret_tree = folded;
	return args->below ? 0 : cmd_tree_choose(args, folded, view, ret_tree, err);
}

static int cmd_tree_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct tree_args *args = action->args;
	_cleanup_(broker_done) struct broker broker = BROKER_NONE;
	_cleanup_(calls_input_done) struct calls_input input = {
		.samples_wanted = args->samples ? CALLS_ONLY_SAMPLES : CALLS_OR_SAMPLES,
		.stacks_of = args->stacks
	};
	struct calls_input *const inputs[] = { &input };
	_cleanup_close_ int fd = -1;
	_cleanup_(call_tree_done) struct call_tree view = { 0 };
	_cleanup_(call_tree_done) struct call_tree folded = { 0 };
	_cleanup_(phases_free_p) struct phases *phases = NULL;
	const struct call_tree *tree;
	int r = args->fold ? phases_input_read(args->rules, &phases, err) : 0;

	if (r < 0)
		return r;
	fd = trace_input_open(path, err);
	if (fd < 0)
		return fd;
	r = calls_input_enter(&broker, inputs, ARRAY_SIZE(inputs), err);
	if (r >= 0)
		r = calls_input_read(&input, &args->report, TAKE_FD(fd), path, err);
	if (r < 0)
		return r;
	args->tree.time = tree_time(input.tree);
	args->tree.overlap = args->flat;
	args->tree.samples = input.is_samples;
	args->tree.counts = args->stacks != NULL;
	r = args->fold ? choose_folded(args, input.tree, &view, &folded, phases, &tree, err) :
			 cmd_tree_choose(args, input.tree, &view, &tree, err);
	if (r < 0)
		return r;
	if (REPORT_PRINT(&args->report, tree, tree, &args->tree, action->out) < 0)
		return err_nomem(err);
	return calls_input_tell(&input, action);
}

static int cmd_tree_run(const struct action *action)
{
	struct tree_args *args = action->args;
	struct fathom_err err = { 0 };

	if (!!args->below + !!args->callers + args->flat > 1)
		err_set(&err, -EINVAL, "choose one of --below, --callers and --flat");
	else if (args->callers && args->fold)
		err_set(&err, -EINVAL, "--fold has no meaning with --callers");
	else if (args->stacks && args->samples)
		err_set(&err, -EINVAL, "--stacks counts events: leave out --samples");
	else if (args->stacks && args->tree.order == TREE_BY_MAX)
		err_set(&err, -EINVAL, "--stacks counts events, which have no longest call");
	if (err.code)
		return action_usage_error(action, &err);
	if (!args->has_min && !args->report.json && !args->report.csv)
		args->tree.min_permille = MIN_PERMILLE;
	return analysis_run(action, cmd_tree_work);
}

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
	.run = cmd_tree_run,
};
