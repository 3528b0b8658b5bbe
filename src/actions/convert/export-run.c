/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/convert/export-run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "actions/convert/export-dir.h"
#include "actions/input/child.h"
#include "actions/input/damage.h"
#include "actions/input/reading.h"
#include "actions/input/trace-input.h"
#include "actions/names/symbol-broker.h"
#include "actions/report/report-setup.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/new-file.h"
#include "base/quote.h"
#include "base/str.h"
#include "process/sandbox.h"

/* The task of the worker process. */
struct job {
	const struct action *action;
	struct export_args *args;
	const struct export_output *output;
	const char *input;
	int in, out;
	struct export_dir *dir; /* NULL for a file */
};

/* Everything that the worker process has to release. */
struct work {
	struct report_setup setup;
	struct sink sink;
	struct export export;
	struct broker broker;
	struct user_symbols users;
};

static void work_done(struct work *work)
{
	export_done(&work->export);
	sink_done(&work->sink);
	report_setup_done(&work->setup);
	user_symbols_done(&work->users);
	broker_done(&work->broker);
}

/* Formats that aggregate samples need symbols, from files that only the trace names. */
static int export_run_enter_sandbox(struct work *work, struct fathom_err *err)
{
	int r;

	if (!work->export.output->calls)
		return sandbox_enter(err);
	r = symbol_broker_start(&work->broker, false, err);
	if (r < 0)
		return r;
	symbol_broker_use(&work->broker, &work->users);
	work->export.users = &work->users;
	return sandbox_enter_asking(err);
}

static int read_input(struct job *job, struct work *work, struct fathom_err *err)
{
	struct fathom_trace *trace;
	int r = report_setup_room(&work->setup, 1, err);

	if (r < 0)
		return r;
	r = trace_input_read(TAKE_FD(job->in), job->input, 0, &trace, err);
	if (r < 0)
		return r;
	report_setup_add(&work->setup, trace, NULL);
	work->export.run = &work->setup.run;
	work->export.input = &work->setup.inputs[0];
	return report_setup_prepare(&work->setup, err);
}

/* Reports events omitted from the output, and lost events. */
static int export_run_report_end(const struct job *job, const struct work *work)
{
	const struct report_input *input = &work->setup.inputs[0];
	const struct export *export = &work->export;
	bool quiet = job->args->report.quiet;
	int code = EXIT_OK;

	if (damage_report(job->action, input->trace, job->input, quiet))
		code = EXIT_DAMAGED;
	if (quiet)
		return code;
	if (!export->events)
		quote_printf(job->action->messages, "fathom export: no events in '%s' match\n",
			     job->input);
	if (!report_in_nanoseconds(input->report, 0))
		quote_printf(job->action->messages,
			     "fathom export: the clock of '%s' does not count nanoseconds; "
			     "times in the viewer are counter values\n",
			     job->input);
	if (input->lost || input->lost_unknown)
		quote_printf(job->action->messages,
			     "fathom export: lost %" PRIu64 " events while recording%s\n",
			     input->lost,
			     input->lost_unknown ? ", and an unknown number more" : "");
	if (export->unknown)
		quote_printf(job->action->messages,
			     "fathom export: %" PRIu64 " events have no format in the recording\n",
			     export->unknown);
	if (export->shortened)
		quote_printf(job->action->messages,
			     "fathom export: truncated %" PRIu64 " events that were too long\n",
			     export->shortened);
	if (export->left_out)
		quote_printf(job->action->messages,
			     "fathom export: %" PRIu64 " events omitted: not supported by '%s'\n",
			     export->left_out, export->output->name);
	return code;
}

static int write_output(struct job *job, struct work *work, struct fathom_err *err)
{
	int r;

	if (sink_init(&work->sink, job->out) < 0)
		return err_nomem(err);
	r = export_run(&work->export, err);
	if (work->sink.err == -EPIPE && !job->dir)
		return 0;
	if (work->sink.err)
		return err_set_errno(err, work->sink.err, "cannot write the output");
	return r;
}

static int work(void *arg)
{
	struct job *job = arg;
	_cleanup_(work_done) struct work work = {
		.setup = { .args = &job->args->report },
		.export = { .output = job->output },
		.broker = BROKER_NONE,
	};
	struct fathom_err err = { 0 };
	int r;

	work.export.sink = &work.sink;
	reading_begin(job->action, READING_WHOLE | (job->args->report.quiet ? READING_QUIET : 0));
	if (job->out == STDOUT_FILENO && !job->dir)
		reading_prints(job->action->out);
	if (job->dir) {
		/* So that writing fails when the other end is gone. */
		close(job->dir->from);
		job->dir->from = -1;
		work.export.append = export_dir_send;
		work.export.append_data = job->dir;
	}
	r = export_prepare(&work.export, &err);
	if (r == 0)
		r = export_run_enter_sandbox(&work, &err);
	if (r >= 0)
		r = read_input(job, &work, &err);
	if (r >= 0)
		r = write_output(job, &work, &err);
	reading_end();
	if (r < 0)
		return action_failed(job->action, &err);
	return export_run_report_end(job, &work);
}

static int export_run_serve(void *arg, struct fathom_err *err)
{
	return export_dir_receive(((struct job *)arg)->dir, err);
}

static int to_directory(struct job *job, const char *path)
{
	_cleanup_(export_dir_done) struct export_dir dir = EXPORT_DIR_NONE;
	struct fathom_err err = { 0 };
	int code;

	if (export_dir_open(&dir, job->output, path, job->args->mode, &err) < 0)
		return action_failed(job->action, &err);
	job->dir = &dir;
	code = child_serve(job->action, work, export_run_serve, job);
	if ((code == EXIT_OK || code == EXIT_DAMAGED) && export_dir_commit(&dir, &err) < 0)
		code = action_failed(job->action, &err);
	return code;
}

static int to_file(struct job *job, const char *path)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	struct fathom_err err = { 0 };

	if (new_file_open(&file, path, 0, job->args->mode, &err) < 0)
		return action_failed(job->action, &err);
	job->out = file.fd;
	return child_write(job->action, &file, work, job);
}

/* Reports the name of the output, and how to open it. */
static void print_written(const struct job *job, const char *path)
{
	if (!job->args->report.quiet)
		quote_printf(job->action->messages, "fathom export: wrote '%s'; %s\n", path,
			     job->output->open);
}

static int to_stdout(struct job *job)
{
	struct fathom_err err = { 0 };

	if (job->output->flags & (EXPORT_DIRECTORY | EXPORT_SEEKS))
		err_set(&err, -EINVAL,
			"format '%s' cannot be written to standard output: use -o FILE",
			job->output->name);
	else if (job->output->flags & EXPORT_BINARY && job->action->out->terminal)
		err_set(&err, -EINVAL,
			"format '%s' is binary and cannot be written to a terminal: use -o FILE",
			job->output->name);
	if (err.code)
		return action_usage_error(job->action, &err);
	job->out = STDOUT_FILENO;
	return work(job);
}

int export_to(const struct action *action, struct export_args *args,
	      const struct export_output *output, const char *in, const char *out)
{
	struct job job = { .action = action, .args = args, .output = output, .input = in };
	_cleanup_close_ int fd = -1;
	struct fathom_err err = { 0 };
	int code;

	/* A reader that stops early makes the write fail; that is not an error. */
	signal(SIGPIPE, SIG_IGN);
	fd = trace_input_open(in, &err);
	if (fd < 0)
		return action_failed(action, &err);
	/* Without a worker process, the trace closes the file. */
	if (str_eq(out, "-")) {
		job.in = TAKE_FD(fd);
		return to_stdout(&job);
	}
	job.in = fd;
	code = output->flags & EXPORT_DIRECTORY ? to_directory(&job, out) : to_file(&job, out);
	if (code == EXIT_OK || code == EXIT_DAMAGED)
		print_written(&job, out);
	return code < 0 ? child_follow(code) : code;
}
