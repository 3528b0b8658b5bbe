/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/diff-run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/analysis/analysis-input.h"
#include "actions/analysis/outlier.h"
#include "actions/input/reading.h"
#include "actions/input/trace-input.h"
#include "analyze/calls/call-view.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/pattern/match.h"
#include "base/quote.h"
#include "process/sandbox.h"
#include "render/command/diff.h"

/* One of the recordings, or a time range of it. */
struct side {
	char *text; /* a modified copy of the argument */
	int fd;
	struct report_args args;
	struct calls_input input;
	struct syscalls syscalls;
	struct call_tree view;
	const struct call_tree *tree; /* NULL: no functions recorded */
};

#define MIN_PERMILLE 10

/* The tree to compare: @tree, or @view if it was derived from that. */
static int diff_run_choose(const struct diff_args *args, const struct call_tree *tree,
			   const char *path, struct call_tree *view,
			   const struct call_tree **ret_tree, struct fathom_err *err)
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
		       err_set(err, -ENOENT, "no calls of '%s' in '%s'", args->below, path);
}

static void read_options(struct diff_args *args)
{
	args->diff = (struct diff_options){ .depth = (unsigned)args->depth,
					    .rows = (unsigned)args->rows,
					    .min_permille = args->all ? 0 : MIN_PERMILLE,
					    .flat = args->flat };
}

/* NULL: none. */
static int diff_run_print(const struct action *action, const struct call_diff *calls,
			  const struct syscall_diff *syscalls)
{
	struct diff_args *args = action->args;
	struct out *out = action->out;
	int r = 0;

	read_options(args);
	if (args->report.json)
		return diff_print_json(calls, syscalls, out);
	/* A CSV file has room for one table only. */
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

/* "FILE@FROM..TO", unless a file of that name exists. */
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
	side->input.with_notes = side->syscalls.with_notes = true;
	r = calls_input_read(&side->input, &side->args, TAKE_FD(side->fd), side->text, err);
	if (r < 0 || (!side->input.has_calls && !args->below))
		return r;
	return diff_run_choose(args, side->input.tree, side->text, &side->view, &side->tree, err);
}

/* All recordings, those from before the change first. */
struct sides {
	struct side **list;
	size_t n, n_before;
	const struct call_tree **trees; /* recordings from before the change */
	const struct syscalls **syscalls;
};

static void sides_done(struct sides *sides)
{
	for (size_t i = 0; sides->list && i < sides->n; i++)
		side_free(sides->list[i]);
	free(sides->list);
	free(sides->trees);
	free(sides->syscalls);
}

static int sides_open(const struct action *action, struct sides *sides, struct fathom_err *err)
{
	const struct diff_args *args = action->args;
	int r = 0;

	sides->n = (size_t)action->argc;
	sides->n_before = args->before ?: 1;
	sides->list = mem_zalloc(sides->n, sizeof(void *));
	sides->trees = mem_zalloc(sides->n, sizeof(void *));
	sides->syscalls = mem_zalloc(sides->n, sizeof(void *));
	if (!sides->list || !sides->trees || !sides->syscalls)
		return err_nomem(err);
	for (size_t i = 0; i < sides->n && r == 0; i++)
		r = side_open(args, action->argv[i], &sides->list[i], err);
	return r;
}

/* The first recording without functions, or without system calls; NULL: all have them. */
static const struct side *diff_run_without(const struct sides *sides, bool functions)
{
	for (size_t i = 0; i < sides->n; i++)
		if (functions ? !sides->list[i]->tree : !sides->list[i]->syscalls.n)
			return sides->list[i];
	return NULL;
}

/* The first recording with them. */
static const struct side *diff_run_with(const struct sides *sides, bool functions)
{
	for (size_t i = 0; i < sides->n; i++)
		if (functions ? sides->list[i]->tree != NULL : sides->list[i]->syscalls.n > 0)
			return sides->list[i];
	return NULL;
}

static int make_diffs(const struct sides *sides, struct call_diff *calls,
		      struct syscall_diff *syscalls, struct fathom_err *err)
{
	size_t n_after = sides->n - sides->n_before;
	int r = 0;

	for (size_t i = 0; i < sides->n; i++) {
		sides->trees[i] = sides->list[i]->tree;
		sides->syscalls[i] = &sides->list[i]->syscalls;
	}
	if (calls)
		r = call_diff_make(sides->trees, sides->n_before, sides->trees + sides->n_before,
				   n_after, calls);
	if (r == 0 && syscalls)
		r = syscall_diff_make(sides->syscalls, sides->n_before,
				      sides->syscalls + sides->n_before, n_after, syscalls);
	return r < 0 ? err_nomem(err) : 0;
}

/* Prints what all recordings have. */
static int print_sides(const struct action *action, const struct sides *sides,
		       struct fathom_err *err)
{
	const struct diff_args *args = action->args;
	const struct side *no_calls = diff_run_without(sides, true),
			  *no_syscalls = diff_run_without(sides, false);
	bool functions = !no_calls && !args->syscalls, syscalls = !no_syscalls && !args->below;
	_cleanup_(call_diff_done) struct call_diff calls = { 0 };
	_cleanup_(syscall_diff_done) struct syscall_diff diff = { 0 };
	int r;

	if (args->syscalls && !syscalls)
		return err_set(err, -ENODATA, "no system calls in '%s'", no_syscalls->text);
	if (!functions && !syscalls)
		return err_set(
			err, -ENODATA,
			"nothing to compare: no function calls in '%s', and no system calls in "
			"'%s'",
			no_calls->text, no_syscalls->text);
	if (!functions && !args->syscalls && !args->report.quiet && diff_run_with(sides, true))
		quote_printf(action->messages,
			     "fathom diff: functions were recorded in '%s', but not in '%s'\n",
			     diff_run_with(sides, true)->text, no_calls->text);
	r = make_diffs(sides, functions ? &calls : NULL, syscalls ? &diff : NULL, err);
	if (r < 0)
		return r;
	r = diff_run_print(action, functions ? &calls : NULL, syscalls ? &diff : NULL);
	return r < 0 ? err_nomem(err) : 0;
}

/* Compares two or more recordings. Returns an exit status or a negative errno. */
static int diff_run_compare(const struct action *action, struct fathom_err *err)
{
	_cleanup_(sides_done) struct sides sides = { 0 };
	int r = sides_open(action, &sides, err), code = 0;

	if (r == 0)
		r = sandbox_enter(err);
	for (size_t i = 0; i < sides.n && r >= 0; i++)
		r = side_read(action->args, sides.list[i], err);
	for (size_t i = 0; i < sides.n && r >= 0; i++)
		analysis_input_complete(&sides.list[i]->input.input, action->out);
	if (r >= 0)
		r = print_sides(action, &sides, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sides.n; i++)
		code = analysis_input_report(&sides.list[i]->input.input, action) ?: code;
	return code;
}

/* Compares two calls of one function. */
static int find_outlier(const struct action *action, struct fathom_err *err)
{
	struct diff_args *args = action->args;
	const char *path = action->argc ? action->argv[0] : "trace.dat";
	_cleanup_(outlier_done) struct outlier outlier = { 0 };
	_cleanup_(call_diff_done) struct call_diff diff = { 0 };
	int fd = analysis_input_enter(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = outlier_read(&outlier, &args->report, fd, path, args->outlier, err);
	if (r < 0)
		return r;
	analysis_input_complete(&outlier.input, action->out);
	if (!args->report.json && !args->report.csv)
		outlier_print_head(&outlier, action->out);
	if (call_diff_make(&outlier.usual, 1, &outlier.slowest, 1, &diff) < 0)
		return err_nomem(err);
	diff.single = true;
	if (diff_run_print(action, &diff, NULL) < 0)
		return err_nomem(err);
	return analysis_input_report(&outlier.input, action);
}

int diff_run(const struct action *action)
{
	struct diff_args *args = action->args;
	struct fathom_err err = { 0 };
	int r;

	if (args->outlier && action->argc > 1)
		err_set(&err, -EINVAL, "too many arguments: --outlier takes one file");
	else if (!args->outlier && action->argc < 2)
		err_set(&err, -EINVAL, "missing argument: use 'fathom diff OLD NEW'");
	else if (!args->outlier && action->argc > 2 && !args->before)
		err_set(&err, -EINVAL,
			"no number of old files given: use '--before N' with %d files",
			action->argc);
	else if (!args->outlier && args->before >= (unsigned long)action->argc)
		err_set(&err, -EINVAL, "invalid --before %lu: expected 1 to %d", args->before,
			action->argc - 1);
	else if (args->outlier && args->before)
		err_set(&err, -EINVAL, "--outlier cannot be combined with --before");
	else if (args->outlier && (args->below || args->flat || args->syscalls))
		err_set(&err, -EINVAL,
			"--outlier cannot be combined with --below, --flat or --syscalls");
	else if (args->syscalls && (args->below || args->flat))
		err_set(&err, -EINVAL, "--syscalls cannot be combined with --below or --flat");
	else if (args->below && args->flat)
		err_set(&err, -EINVAL, "--below and --flat are mutually exclusive");
	else if (args->report.json && args->report.csv)
		err_set(&err, -EINVAL, "--json and --csv are mutually exclusive");
	if (err.code)
		return action_usage_error(action, &err);
	reading_begin(action, args->report.quiet ? READING_QUIET : 0);
	r = args->outlier ? find_outlier(action, &err) : diff_run_compare(action, &err);
	if (r < 0)
		r = reading_failed(action, &err);
	reading_end();
	return r;
}
