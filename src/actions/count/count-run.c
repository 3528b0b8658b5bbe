/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/count/count-run.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/count/count-file.h"
#include "actions/count/count-live-run.h"
#include "actions/count/count-words.h"
#include "actions/input/reading.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"
#include "render/count/count-view.h"
#include "render/count/recipe-list.h"

#define ROWS_DEFAULT 20
/* The exit status of a process that leaves the work to the next plan; otherwise unused. */
#define EXIT_NEXT 64

static const char *count_run_function(void *data, uint64_t address, uint64_t *ret_start)
{
	return count_file_function(data, address, ret_start);
}

static size_t count_run_stack(void *data, int64_t id, uint64_t *addresses, size_t max)
{
	return count_file_stack(data, id, addresses, max);
}

static const char *count_run_frame(void *data, int64_t id, size_t i, uint64_t address)
{
	return count_file_frame(data, id, i);
}

static int count_run_print(const struct action *action, const struct count_plan *plan,
			   const struct count_request *request, struct count_file *file)
{
	const struct count_args *args = action->args;
	const struct report_args *report = &args->report;
	const struct count_names names = { .data = file,
					   .function = count_run_function,
					   .stack = count_run_stack,
					   .frame = count_run_frame };
	const struct count_view view = {
		.plan = plan,
		.columns = file->columns,
		.sites = file->sites,
		.n_sites = file->n_sites,
		.table = file->table,
		.names = &names,
		.what = request->words.what,
		.reading = request->recipe && !report->quiet ? request->recipe->reading : NULL,
		.span = file->in_nanoseconds ? file->last - file->first : 0,
		.rows = args->has_rows		    ? args->rows :
			report->json || report->csv ? 0 :
						      ROWS_DEFAULT,
		.raw_times = !file->in_nanoseconds,
		.is_total = true,
	};

	count_table_sort(file->table, plan->what, (enum count_order)args->order);
	if (report->json)
		return count_print_json(&view, true, action->out);
	return report->csv ? count_print_csv(&view, action->out) : count_print(&view, action->out);
}

/* Over a recording. Reports errors, but not one that *@ret_next answers: try the next plan. */
static int count_run_file(const struct action *action, struct count_request *request,
			  const struct count_plan *plan, bool *ret_next)
{
	struct count_args *args = action->args;
	_cleanup_(count_file_done) struct count_file file = COUNT_FILE_NONE;
	struct fathom_err err = { 0 };
	int r;

	reading_begin(action, args->report.quiet ? READING_QUIET : 0);
	r = count_file_read(action, &args->report, plan, request->file, &file, &err);
	if (r == 0) {
		reading_finish();
		r = count_run_print(action, plan, request, &file);
		if (r < 0)
			err_nomem(&err);
	}
	if (r == -ENOENT && ret_next)
		*ret_next = true;
	else
		r = r < 0 ? reading_failed(action, &err) : count_file_report(&file, action);
	reading_end();
	return r;
}

/*
 * Tries a plan in a child process, because the sandbox is entered for good. Returns the exit status,
 * or -ENOENT if the recording lacks something that the plan needs.
 */
static int count_run_apart(const struct action *action, struct count_request *request,
			   const struct count_plan *plan, struct fathom_err *err)
{
	int status;
	pid_t pid;

	fflush(action->out->stream);
	fflush(action->messages);
	pid = fork();
	if (pid < 0)
		return err_set_errno(err, negative_errno(), "cannot start a process");
	if (pid == 0) {
		bool next = false;
		int code = count_run_file(action, request, plan, &next);

		fflush(action->out->stream);
		fflush(action->messages);
		_exit(next ? EXIT_NEXT : code);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set_errno(err, negative_errno(), "cannot wait for a process");
	if (WIFSIGNALED(status))
		return EXIT_SIGNAL + WTERMSIG(status);
	return WEXITSTATUS(status) == EXIT_NEXT ? -ENOENT : WEXITSTATUS(status);
}

/* Carries out the first plan for which the recording has what it needs. */
static int count_run_recording(const struct action *action, struct count_request *request,
			       struct count_plan *plan)
{
	const struct count_args *args = action->args;
	struct fathom_err err = { 0 };
	size_t n = count_request_plans(request);

	for (size_t i = 1; i < n; i++) {
		int r = count_run_apart(action, request, plan, &err);

		if (r >= 0)
			return r;
		if (r == -ENOENT)
			r = count_request_plan(request, i, args, plan, &err);
		if (r < 0)
			return action_failed(action, &err);
	}
	return count_run_file(action, request, plan, NULL);
}

static int count_run_check(const struct action *action, const struct count_request *request,
			   struct fathom_err *err)
{
	const struct count_args *args = action->args;

	if (args->report.csv && args->every)
		return err_set(err, -EINVAL, "--csv and --every are mutually exclusive");
	if (request->file && (args->every || args->span || args->pid))
		return err_set(err, -EINVAL, "%s cannot be combined with a recording",
			       args->every ? "--every" :
			       args->span  ? "--for" :
					     "--pid");
	if (!request->file && (args->report.from || args->report.to || args->report.n_cpus))
		return err_set(err, -EINVAL, "--from, --to and --cpu require a recording");
	return 0;
}

static int count_run_list(const struct action *action)
{
	const struct count_args *args = action->args;
	_cleanup_recipes_ struct recipes recipes = { 0 };
	struct fathom_err err = { 0 };
	int r = count_recipes_read(&recipes, &err);

	for (int i = 0; r == 0 && i < action->argc; i++)
		if (!recipes_find(&recipes, action->argv[i]))
			r = err_set(&err, -ENOENT,
				    "no recipe '%s'; 'fathom count --list' lists all",
				    action->argv[i]);
	if (r == 0)
		r = recipe_list_print(&recipes, action->argv, (size_t)action->argc,
				      args->report.json, action->out);
	if (r == -ENOMEM)
		err_nomem(&err);
	return r < 0 ? action_failed(action, &err) : EXIT_OK;
}

int count_run(const struct action *action)
{
	const struct count_args *args = action->args;
	_cleanup_(count_request_done) struct count_request request = { 0 };
	struct fathom_err err = { 0 };
	struct count_plan plan;
	int r;

	if (action_one_format(args->report.json, args->report.csv, &err) < 0)
		return action_usage_error(action, &err);
	if (args->list)
		return count_run_list(action);
	r = count_request_init(&request, action, &err);
	if (r == 0)
		r = count_run_check(action, &request, &err);
	/* Shows errors of the words before anything is opened. */
	if (r == 0)
		r = count_request_plan(&request, 0, args, &plan, &err);
	if (r == -ENOMEM)
		return action_failed(action, &err);
	if (r < 0)
		return action_usage_error(action, &err);
	return request.file ? count_run_recording(action, &request, &plan) :
			      count_live_run(action, &request);
}
