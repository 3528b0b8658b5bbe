/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/convert/split-run.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/convert/write-progress.h"
#include "actions/input/child.h"
#include "actions/input/damage.h"
#include "actions/input/reading.h"
#include "actions/input/time-arg.h"
#include "actions/input/trace-input.h"
#include "base/err.h"
#include "base/files/new-file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "process/sandbox.h"
#include "read/trace.h"
#include "render/report/report.h"
#include "write/trace-split.h"

/* The task of the worker process. */
struct job {
	const struct action *action;
	struct split_args *args;
	const char *input;
	unsigned number; /* of the part, from 1 */
	int in, out;
	int place; /* a file with the position at which the previous part ended */
};

static int load_place(const struct job *job, struct trace_split *split, struct fathom_err *err)
{
	_cleanup_free_ struct stream_mark *marks = NULL;
	struct stat st;
	size_t size;

	if (job->number == 1)
		return 0;
	if (fstat(job->place, &st) < 0)
		return err_set_errno(err, negative_errno(),
				     "cannot read the position of the previous part");
	size = (size_t)st.st_size;
	marks = mem_alloc(size ? size : 1);
	if (!marks)
		return err_nomem(err);
	if (pread(job->place, marks, size, 0) != (ssize_t)size ||
	    !trace_split_resume(split, marks, size / sizeof(*marks)))
		return err_set(err, -EIO, "'%s' changed while being split", job->input);
	return 0;
}

static int save_place(const struct job *job, const struct trace_split *split,
		      struct fathom_err *err)
{
	size_t n;
	const struct stream_mark *marks = trace_split_place(split, &n);

	if (pwrite(job->place, marks, n * sizeof(*marks), 0) != (ssize_t)(n * sizeof(*marks)))
		return err_set_errno(err, negative_errno(),
				     "cannot save the position of this part");
	return trace_split_has_more(split) ? EXIT_MORE : 0;
}

/* 0 or EXIT_MORE. */
static int write_part(const struct job *job, struct trace_split *split,
		      struct trace_dat_writer *writer, struct fathom_err *err)
{
	const struct trace_dat_plan *plan;
	int r = load_place(job, split, err);

	if (r == 0)
		r = trace_split_next(split, &plan, err);
	if (r < 0)
		return r;
	if (r == 0)
		quote_printf(job->action->messages, "fathom %s: no events in this part of '%s'\n",
			     job->action->name, job->input);
	r = trace_dat_write(writer, plan, job->out, err);
	return r == 0 ? save_place(job, split, err) : r;
}

static int split_run_first_time(struct fathom_trace *trace, uint64_t *ret_time,
				struct fathom_err *err)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;
	int r = fathom_cursor_new(trace, NULL, &cursor, err);

	if (r < 0)
		return r;
	r = fathom_cursor_next(cursor, &event);
	*ret_time = r > 0 ? event.time : 0;
	fathom_cursor_free(cursor);
	return r < 0 ? err_nomem(err) : 0;
}

static int split_run_get_time(struct fathom_trace *trace, const char *text, uint64_t *ret_time,
			      struct fathom_err *err)
{
	uint64_t given, start = 0;
	bool relative;
	int r = time_arg_parse(text, !report_clock_in_nanoseconds(trace, 0), &given, &relative,
			       err);

	if (r == 0 && relative)
		r = split_run_first_time(trace, &start, err);
	if (r < 0)
		return r;
	if (__builtin_add_overflow(start, given, ret_time))
		*ret_time = UINT64_MAX;
	return 0;
}

/* Resolves times, which depend on the clock of the trace and on its first event. */
static int split_run_set_window(struct job *job, struct fathom_trace *trace, struct fathom_err *err)
{
	struct trace_split_options *split = &job->args->options;
	char *const *operands = job->action->argv;
	int n = job->action->argc, r = 0;

	split->to = UINT64_MAX;
	if (n > 0)
		r = split_run_get_time(trace, operands[0], &split->from, err);
	if (r == 0 && n > 1)
		r = split_run_get_time(trace, operands[1], &split->to, err);
	if (r == 0 && split->to < split->from)
		r = err_set(err, -EINVAL, "invalid time range: '%s' is before '%s'", operands[1],
			    operands[0]);
	if (r == 0 && split->unit == TRACE_SPLIT_TIME && !report_clock_in_nanoseconds(trace, 0))
		r = err_set(err, -EINVAL, "the clock of '%s' does not measure time: use -e or -p",
			    job->input);
	return r;
}

static int split_trace(struct job *job, struct trace_dat_writer *writer, struct fathom_err *err)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	struct trace_split *split;
	int r = trace_input_read(job->in, job->input, 0, &trace, err);

	if (r < 0)
		return r;
	if (split_run_set_window(job, trace, err) < 0)
		return action_usage_error(job->action, err);
	r = trace_split_new(trace, &job->args->options, &split, err);
	if (r == 0) {
		r = write_part(job, split, writer, err);
		trace_split_free(split);
	}
	if (r < 0) {
		err_prefix(err, "cannot split '%s'", job->input);
		return r;
	}
	if (damage_report(job->action, trace, job->input, job->number > 1))
		r |= EXIT_DAMAGED;
	return r;
}

static int split_run_work(void *arg)
{
	struct job *job = arg;
	struct trace_dat_options dat = { .as_it_is = true };
	struct trace_dat_writer *writer;
	struct write_progress progress;
	struct fathom_err err = { 0 };
	struct stat st;
	int r;

	write_progress_init(&progress, &dat, job->action->messages);
	reading_begin(job->action, READING_WHOLE);
	r = trace_dat_writer_new(&dat, fstat(job->in, &st) == 0 ? (uint64_t)st.st_size : 0, &writer,
				 &err);
	if (r == 0) {
		r = sandbox_enter(&err);
		if (r >= 0)
			r = split_trace(job, writer, &err);
		trace_dat_writer_free(writer);
	}
	write_progress_done(&progress);
	reading_end();
	return r < 0 ? action_failed(job->action, &err) : r;
}

/* The name of the part, or NULL if out of memory. */
static char *part_name(const struct job *job)
{
	const char *base = job->args->output ?: job->input;

	if (job->args->repeat)
		return mem_printf("%s.%04u", base, job->number);
	return job->args->output ? mem_strdup(base) : mem_printf("%s.1", base);
}

/* Writes one part. Returns an exit code, possibly with EXIT_MORE, or a negative signal number. */
static int one_part(struct job *job)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_free_ char *name = part_name(job);
	struct fathom_err err = { 0 };

	if (!name)
		err_nomem(&err);
	else
		new_file_open(&file, name, 0, job->args->mode, &err);
	if (err.code)
		return action_failed(job->action, &err);
	job->out = file.fd;
	return child_write(job->action, &file, split_run_work, job);
}

static int all_parts(struct job *job)
{
	bool damaged = false;
	int r;

	do {
		job->number++;
		r = one_part(job);
		if (r < 0)
			return child_follow(r);
		if ((r & ~EXIT_MORE) != EXIT_OK && (r & ~EXIT_MORE) != EXIT_DAMAGED)
			return r;
		damaged |= (r & ~EXIT_MORE) == EXIT_DAMAGED;
	} while (job->args->repeat && r & EXIT_MORE);
	return damaged ? EXIT_DAMAGED : EXIT_OK;
}

int split_run(const struct action *action)
{
	struct split_args *args = action->args;
	struct job job = { .action = action, .args = args };
	_cleanup_close_ int in = -1, place = -1;
	struct fathom_err err = { 0 };

	job.input = args->input ?: "trace.dat";
	if (action->argc > 2)
		err_set(&err, -EINVAL, "too many arguments: expected a start and an end");
	else if (args->repeat && !args->options.unit)
		err_set(&err, -EINVAL, "-r requires a size of the parts, for example -e 10000");
	if (err.code)
		return action_usage_error(action, &err);
	in = trace_input_open(job.input, &err);
	if (in >= 0) {
		place = memfd_create("split", MFD_CLOEXEC);
		if (place < 0)
			err_set_errno(&err, negative_errno(), "cannot create a memory file");
	}
	if (err.code)
		return action_failed(action, &err);
	job.in = in;
	job.place = place;
	return all_parts(&job);
}
