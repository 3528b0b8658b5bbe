/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom diff: what differs between two recordings, or between a slow call and a usual one. */
#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/call-view.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/match.h"
#include "base/mem.h"
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
	REPORT_OUTPUT_OPTIONS,
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

/* One of two recordings, or a window of it. */
struct side {
	char *text; /* what was typed, cut into pieces */
	int fd;
	struct report_args args;
	struct calls_input input;
	struct call_tree view;
	const struct call_tree *tree;
};

static void side_free(struct side *side)
{
	if (!side)
		return;
	call_tree_done(&side->view);
	calls_input_done(&side->input);
	if (side->fd >= 0)
		close(side->fd);
	free(side->text);
	free(side);
}

DEFINE_CLEANUP(struct side, side_free);

/* "FILE@FROM..TO", unless there is a file of that name. */
static void cut_window(struct side *side)
{
	char *from = strrchr(side->text, '@'), *to = from ? strstr(from, "..") : NULL;

	if (!to || access(side->text, F_OK) == 0)
		return;
	*from++ = '\0';
	*to = '\0';
	to += 2;
	side->args.from = *from ? from : side->args.from;
	side->args.to = *to ? to : side->args.to;
}

static int side_open(const struct diff_args *args, const char *word, struct side **ret_side,
		     struct fathom_err *err)
{
	_cleanup_(side_free_p) struct side *side = mem_zalloc(1, sizeof(*side));

	if (!side)
		return err_nomem(err);
	side->fd = -1;
	side->args = args->report;
	side->text = mem_printf("%s", word);
	if (!side->text)
		return err_nomem(err);
	cut_window(side);
	side->fd = trace_input_open(side->text, err);
	if (side->fd < 0)
		return side->fd;
	*ret_side = TAKE_PTR(side);
	return 0;
}

static int side_read(const struct diff_args *args, struct side *side, struct fathom_err *err)
{
	int r = calls_input_read(&side->input, &side->args, TAKE_FD(side->fd), side->text, err);

	return r < 0 ? r :
		       choose(args, side->input.tree, side->text, &side->view, &side->tree, err);
}

/* Two recordings. An exit code or a negative errno. */
static int compare(const struct invocation *invocation, struct fathom_err *err)
{
	struct diff_args *args = invocation->args;
	_cleanup_(side_free_p) struct side *before = NULL, *after = NULL;
	int r = side_open(args, invocation->argv[0], &before, err);

	if (r == 0)
		r = side_open(args, invocation->argv[1], &after, err);
	if (r == 0)
		r = sandbox_enter(err);
	if (r >= 0)
		r = side_read(args, before, err);
	if (r == 0)
		r = side_read(args, after, err);
	if (r == 0)
		r = print(invocation, before->tree, after->tree, err);
	if (r < 0)
		return r;
	r = analysis_input_tell(&before->input.input, invocation->command);
	return analysis_input_tell(&after->input.input, invocation->command) ?: r;
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
		"Lays the trees of calls of two recordings with the tracer function_graph, or of two "
		"times of one (FILE@FROM..TO), on one another and shows what is new, gone, slower or faster. With --outlier it compares "
		"the slowest call of a function with a usual one of the same recording, and tells "
		"which branch explains the difference.",
	.operands = "BEFORE AFTER",
	.options = options,
	.args_size = sizeof(struct diff_args),
	.paged = true,
	.run = run,
};
