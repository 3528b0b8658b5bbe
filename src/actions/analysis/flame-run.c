/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/flame-run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actions/analysis/analysis-input.h"
#include "actions/input/child.h"
#include "actions/input/damage.h"
#include "actions/input/reading.h"
#include "actions/input/trace-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/new-file.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/time/flame.h"

/* The resources of the worker process, which releases them. */
struct job {
	const struct action *action;
	const char *path;
	int in, in_before, out;
	struct calls_input now, before;
};

static int write_folded(struct job *job, struct fathom_err *err)
{
	const struct flame_args *args = job->action->args;
	struct sink sink;
	int r = sink_init(&sink, job->out);

	if (r == 0)
		r = flame_print_folded(job->now.tree, args->flame.by, &sink);
	if (r < 0)
		err_nomem(err);
	if (r == 0)
		sink_flush(&sink);
	/* The reader may have closed the pipe. */
	if (r == 0 && sink.err && sink.err != -EPIPE)
		r = err_set_errno(err, sink.err, "cannot write the output");
	sink_done(&sink);
	return r;
}

static int flame_run_draw(struct job *job, FILE *stream, struct fathom_err *err)
{
	struct flame_args *args = job->action->args;
	int r;

	args->flame.before = job->before.tree;
	if (!args->flame.title)
		args->flame.title = basename(job->path);
	if (args->folded)
		return write_folded(job, err);
	r = flame_print(job->now.tree, &args->flame, stream);
	if (r < 0)
		err_nomem(err);
	else if (fflush(stream) != 0 || ferror(stream))
		r = err_set_errno(err, negative_errno(), "cannot write the image");
	return r;
}

static int flame_run_work(void *arg)
{
	struct job *job = arg;
	struct flame_args *args = job->action->args;
	_cleanup_(broker_done) struct broker broker = BROKER_NONE;
	struct calls_input *const inputs[] = { &job->now, &job->before };
	struct fathom_err err = { 0 };
	/* The sandbox forbids creating files. */
	FILE *stream = fdopen(job->out, "w");
	int r;

	args->flame.count_of = args->stacks ? "events" : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++) {
		inputs[i]->stacks_of = args->stacks;
		inputs[i]->samples_wanted = args->samples ? CALLS_ONLY_SAMPLES : CALLS_OR_SAMPLES;
	}
	reading_begin(job->action, (args->report.quiet ? READING_QUIET : 0) |
					   (job->out == STDOUT_FILENO ? 0 : READING_WHOLE));
	r = stream ? calls_input_enter(&broker, inputs, ARRAY_SIZE(inputs), &err) : err_nomem(&err);

	if (r >= 0)
		r = calls_input_read(&job->now, &args->report, job->in, job->path, &err);
	if (r == 0 && args->before)
		r = calls_input_read(&job->before, &args->report, job->in_before, args->before,
				     &err);
	if (r == 0) {
		reading_finish();
		r = flame_run_draw(job, stream, &err);
	}
	if (r == 0)
		r = calls_input_report(&job->now, job->action);
	if (r < 0)
		r = reading_failed(job->action, &err);
	reading_end();
	calls_input_done(&job->now);
	calls_input_done(&job->before);
	return r;
}

static int flame_run_write_file(struct job *job, struct flame_args *args)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	struct fathom_err err = { 0 };
	int r;

	if (new_file_open(&file, args->output, NEW_FILE_QUICK, args->mode, &err) < 0)
		return action_failed(job->action, &err);
	job->out = file.fd;
	r = child_write(job->action, &file, flame_run_work, job);
	new_file_done(&file);
	if (r < 0)
		return child_follow(r);
	if ((r == EXIT_OK || r == EXIT_DAMAGED) && !args->report.quiet)
		quote_printf(
			job->action->messages,
			"fathom flame: flame graph written to '%s'; open it in a web browser\n",
			args->output);
	return r;
}

int flame_run(const struct action *action)
{
	struct flame_args *args = action->args;
	struct job job = { .action = action,
			   .path = action->argc ? action->argv[0] : "trace.dat",
			   .in_before = -1 };
	struct fathom_err err = { 0 };

	if (action->argc > 1)
		err_set(&err, -EINVAL, "too many arguments: expected one file");
	else if (args->folded && args->before)
		err_set(&err, -EINVAL, "--folded and --before are mutually exclusive");
	else if (args->stacks && (args->samples || args->flame.by))
		err_set(&err, -EINVAL, "--stacks cannot be combined with --samples or --by");
	if (err.code)
		return action_usage_error(action, &err);
	if (!args->output)
		args->output = args->folded ? "-" : OUTPUT;
	job.in = trace_input_open(job.path, &err);
	if (job.in >= 0 && args->before)
		job.in_before = trace_input_open(args->before, &err);
	if (job.in < 0 || (args->before && job.in_before < 0))
		return action_failed(action, &err);
	if (!str_eq(args->output, "-"))
		return flame_run_write_file(&job, args);
	job.out = STDOUT_FILENO;
	return flame_run_work(&job);
}
