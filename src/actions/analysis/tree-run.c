/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/tree-run.h"

#include <errno.h>

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/phases-input.h"
#include "actions/input/trace-input.h"
#include "analyze/calls/call-view.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "render/time/tree.h"

#define MIN_PERMILLE 5

/* The tree to show; @view is NULL unless it was derived from @tree. */
static int tree_run_choose(const struct tree_args *args, const struct call_tree *tree,
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
		return err_set(
			err, -ENOENT,
			"no calls of '%s' recorded; 'fathom tree --flat' lists all functions",
			name);
	return 0;
}

/*
 * Likewise, with noise folded: after restricting the tree to the selected calls, before
 * aggregating.
 */
static int choose_folded(const struct tree_args *args, const struct call_tree *tree,
			 struct call_tree *view, struct call_tree *folded,
			 const struct phases *phases, const struct call_tree **ret_tree,
			 struct fathom_err *err)
{
	int r;

	if (args->below) {
		r = tree_run_choose(args, tree, view, &tree, err);
		if (r < 0)
			return r;
	}
	if (call_view_folded(tree, phases, !args->below, folded) < 0)
		return err_nomem(err);
	*ret_tree = folded;
	return args->below ? 0 : tree_run_choose(args, folded, view, ret_tree, err);
}

static int tree_run_work(const struct action *action, const char *path, struct fathom_err *err)
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
			 tree_run_choose(args, input.tree, &view, &tree, err);
	if (r < 0)
		return r;
	analysis_input_complete(&input.input, action->out);
	if (REPORT_PRINT(&args->report, tree, tree, &args->tree, action->out) < 0)
		return err_nomem(err);
	return calls_input_report(&input, action);
}

int tree_run(const struct action *action)
{
	struct tree_args *args = action->args;
	struct fathom_err err = { 0 };

	if (!!args->below + !!args->callers + args->flat > 1)
		err_set(&err, -EINVAL, "--below, --callers and --flat are mutually exclusive");
	else if (args->callers && args->fold)
		err_set(&err, -EINVAL, "--fold and --callers are mutually exclusive");
	else if (args->stacks && args->samples)
		err_set(&err, -EINVAL, "--stacks and --samples are mutually exclusive");
	else if (args->stacks && args->tree.order == TREE_BY_MAX)
		err_set(&err, -EINVAL, "--sort max cannot be combined with --stacks");
	if (err.code)
		return action_usage_error(action, &err);
	if (!args->has_min && !args->report.json && !args->report.csv)
		args->tree.min_permille = MIN_PERMILLE;
	return analysis_run(action, tree_run_work);
}
