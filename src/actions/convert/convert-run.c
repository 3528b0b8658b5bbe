/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/convert/convert-run.h"

#include <errno.h>
#include <sys/stat.h>

#include "actions/convert/write-progress.h"
#include "actions/input/child.h"
#include "actions/input/damage.h"
#include "actions/input/reading.h"
#include "actions/input/trace-input.h"
#include "base/err.h"
#include "base/files/new-file.h"
#include "format/compress/deflate.h"
#include "process/sandbox.h"
#include "read/trace.h"
#include "render/report/used-symbols.h"
#include "write/trace-dat.h"

/* The task of the worker process. */
struct job {
	const struct action *action;
	const char *input;
	struct trace_dat_options options;
	bool used_symbols;
	int in, out;
};

static int cmd_convert(struct job *job, struct trace_dat_writer *writer, struct fathom_err *err)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	_cleanup_strbuf_ struct strbuf symbols = { 0 };
	struct trace_dat_plan plan;
	int r = trace_input_read(job->in, job->input, 0, &trace, err);

	if (r == 0 && job->used_symbols)
		r = used_symbols(trace, &symbols, err);
	if (r < 0)
		return r;
	if (trace_dat_plan_init(&plan, trace) < 0)
		return err_nomem(err);
	plan.symbols = job->used_symbols ? &symbols : NULL;
	r = trace_dat_write(writer, &plan, job->out, err);
	trace_dat_plan_done(&plan);
	if (r < 0) {
		err_prefix(err, "cannot convert '%s'", job->input);
		return r;
	}
	return damage_report(job->action, trace, job->input, false) ? EXIT_DAMAGED : EXIT_OK;
}

static int convert_run_work(void *arg)
{
	struct job *job = arg;
	struct trace_dat_writer *writer;
	struct write_progress progress;
	struct fathom_err err = { 0 };
	struct stat st;
	int r;

	write_progress_init(&progress, &job->options, job->action->messages);
	reading_begin(job->action, READING_WHOLE);
	/* The sandbox forbids starting threads. */
	r = trace_dat_writer_new(&job->options, fstat(job->in, &st) == 0 ? (uint64_t)st.st_size : 0,
				 &writer, &err);
	if (r == 0) {
		r = sandbox_enter(&err);
		if (r >= 0)
			r = cmd_convert(job, writer, &err);
		trace_dat_writer_free(writer);
	}
	write_progress_done(&progress);
	reading_end();
	return r < 0 ? action_failed(job->action, &err) : r;
}

static int convert_run_check(struct job *job, const struct convert_args *args,
			     struct fathom_err *err)
{
	/* As in CONVERT_COMPRESSIONS. */
	static const enum compression compressions[] = { COMPRESSION_ZSTD, COMPRESSION_NONE,
							 COMPRESSION_ZLIB, COMPRESSION_ZSTD };
	enum compression compression = compressions[args->compression];
	unsigned long max = compression == COMPRESSION_ZLIB ? DEFLATE_ZLIB_LEVEL_MAX :
							      DEFLATE_ZSTD_LEVEL_MAX;

	if (args->version && args->compression == 0)
		compression = COMPRESSION_NONE;
	if (args->version && compression != COMPRESSION_NONE)
		return err_set(
			err, -EINVAL,
			"version 6 does not support compression: omit --compression or --file-version");
	if (args->level > max)
		return err_set(err, -EINVAL,
			       "invalid compression level '%lu': expected 1 to %lu for %s",
			       args->level, max, compression_name(compression));
	job->options = (struct trace_dat_options){ .version = args->version ? 6 : 7,
						   .compression = compression,
						   .level = (int)args->level };
	job->used_symbols = args->symbols;
	return 0;
}

int convert_run(const struct action *action)
{
	const struct convert_args *args = action->args;
	const char *output = action->argc ? action->argv[0] : args->output;
	struct job job = { .action = action, .input = args->input ?: "trace.dat" };
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_close_ int in = -1;
	struct fathom_err err = { 0 };
	int r;

	if (!output)
		err_set(&err, -EINVAL, "no output file given: use 'fathom convert OUTPUT'");
	else if (action->argc > 1 || (action->argc && args->output))
		err_set(&err, -EINVAL, "too many arguments: expected one output file");
	if (err.code || convert_run_check(&job, args, &err) < 0)
		return action_usage_error(action, &err);
	in = trace_input_open(job.input, &err);
	if (in < 0 || new_file_open(&file, output, 0, args->mode, &err) < 0)
		return action_failed(action, &err);
	job.in = in;
	job.out = file.fd;
	r = child_write(action, &file, convert_run_work, &job);
	new_file_done(&file);
	return r < 0 ? child_follow(r) : r;
}
