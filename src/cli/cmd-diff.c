/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom diff: what differs between two recordings, or between a slow call and a usual one. */
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/call-view.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/match.h"
#include "base/mem.h"
#include "base/quote.h"
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
	bool flat, all, syscalls;
};

static const struct option_def options[] = {
	OPT_STRING(0, "outlier", "FUNCTION", struct diff_args, outlier,
		   "of one recording: the slowest call of this function beside a usual one"),
	OPT_STRING('g', "below", "FUNCTION", struct diff_args, below,
		   "only what is below this function, wherever it was called"),
	OPT_FLAG(0, "flat", struct diff_args, flat, "all functions side by side, without callers"),
	OPT_FLAG(0, "syscalls", struct diff_args, syscalls, "only the system calls"),
	OPT_NUMBER('d', "depth", "N", struct diff_args, depth, "show N levels"),
	OPT_NUMBER('n', "rows", "N", struct diff_args, rows,
		   "show the N largest changes at each level"),
	OPT_FLAG('a', "all", struct diff_args, all,
		 "show all changes; those below 1 % of all time are folded otherwise"),
	REPORT_SELECT_OPTIONS,
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

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
	if (call_view_below(tree, analysis_fits, &match, view) < 0)
		return err_nomem(err);
	return view->nodes[CALL_ROOT].child != CALL_NONE ?
		       0 :
		       err_set(err, -ENOENT, "no call of '%s' was recorded in '%s'", args->below,
			       path);
}

static void read_options(struct diff_args *args)
{
	args->diff = (struct diff_options){ .depth = (unsigned)args->depth,
					    .rows = (unsigned)args->rows,
					    .min_permille = args->all ? 0 : MIN_PERMILLE,
					    .flat = args->flat };
}

/* What is NULL is not there. */
static int print(const struct invocation *invocation, const struct call_diff *calls,
		 const struct syscall_diff *syscalls)
{
	struct diff_args *args = invocation->args;
	struct out *out = invocation->out;
	int r = 0;

	read_options(args);
	if (args->report.json)
		return diff_print_json(calls, syscalls, out);
	/* One table has room in a file. */
	if (args->report.csv)
		return calls ? diff_print_csv(calls, out) : syscall_diff_print_csv(syscalls, out);
	if (calls)
		r = diff_print(calls, &args->diff, out);
	if (calls && syscalls)
		out_printf(out, OUT_PLAIN, "\n");
	if (syscalls && r == 0)
		r = syscall_diff_print(syscalls, &args->diff, out);
	return r;
}

static int print_trees(const struct invocation *invocation, const struct call_tree *before,
		       const struct call_tree *after, const struct syscall_diff *syscalls,
		       struct fathom_err *err)
{
	_cleanup_(call_diff_done) struct call_diff diff = { 0 };

	if (call_diff_make(before, after, &diff) < 0 || print(invocation, &diff, syscalls) < 0)
		return err_nomem(err);
	return 0;
}

/* One of two recordings, or a window of it. */
struct side {
	char *text; /* what was typed, cut into pieces */
	int fd;
	struct report_args args;
	struct calls_input input;
	struct syscalls syscalls;
	struct call_tree view;
	const struct call_tree *tree; /* NULL: no functions were recorded */
};

static void side_free(struct side *side)
{
	if (!side)
		return;
	call_tree_done(&side->view);
	calls_input_done(&side->input);
	syscalls_done(&side->syscalls);
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
	int r;

	side->input.syscalls = &side->syscalls;
	r = calls_input_read(&side->input, &side->args, TAKE_FD(side->fd), side->text, err);
	if (r < 0 || (!side->input.has_calls && !args->below))
		return r;
	return choose(args, side->input.tree, side->text, &side->view, &side->tree, err);
}

/* Prints what both have. */
static int print_sides(const struct invocation *invocation, const struct side *before,
		       const struct side *after, struct fathom_err *err)
{
	const struct diff_args *args = invocation->args;
	bool functions = before->tree && after->tree && !args->syscalls;
	bool syscalls = before->syscalls.n && after->syscalls.n && !args->below;
	_cleanup_(syscall_diff_done) struct syscall_diff diff = { 0 };

	if (args->syscalls && !syscalls)
		return err_set(err, -ENODATA, "there are no system calls in '%s'",
			       before->syscalls.n ? after->text : before->text);
	if (!functions && !syscalls)
		return err_set(err, -ENODATA,
			       "nothing can be compared: there are functions only in '%s', and "
			       "system calls only in '%s'",
			       before->tree ? before->text : after->text,
			       before->tree ? after->text : before->text);
	if (!functions && !args->syscalls && !args->report.quiet && (before->tree || after->tree))
		quote_printf(stderr, "fathom diff: functions were recorded in '%s' only\n",
			     before->tree ? before->text : after->text);
	if (syscalls && syscall_diff_make(&before->syscalls, &after->syscalls, &diff) < 0)
		return err_nomem(err);
	if (functions)
		return print_trees(invocation, before->tree, after->tree, syscalls ? &diff : NULL,
				   err);
	return print(invocation, NULL, &diff) < 0 ? err_nomem(err) : 0;
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
		r = print_sides(invocation, before, after, err);
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
	r = print_trees(invocation, outlier.usual, outlier.slowest, NULL, err);
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
	else if (args->outlier && (args->below || args->flat || args->syscalls))
		err_set(&err, -EINVAL, "--outlier has neither --below nor --flat nor --syscalls");
	else if (args->syscalls && (args->below || args->flat))
		err_set(&err, -EINVAL, "--below and --flat are about functions, not --syscalls");
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
		"times of one (FILE@FROM..TO), on one another and shows what is new, gone, slower or "
		"faster; and the same of their system calls. With --outlier it compares "
		"the slowest call of a function with a usual one of the same recording, and tells "
		"which branch explains the difference.",
	.operands = "BEFORE AFTER",
	.options = options,
	.args_size = sizeof(struct diff_args),
	.paged = true,
	.run = run,
};
