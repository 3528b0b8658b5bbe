/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/convert/restore-run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/convert/write-progress.h"
#include "actions/input/child.h"
#include "actions/input/damage.h"
#include "actions/input/trace-input.h"
#include "base/err.h"
#include "base/files/new-file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "kernel/tracefs/tracefs.h"
#include "process/sandbox.h"
#include "read/trace.h"
#include "record/file/machine-head.h"
#include "write/trace-restore.h"

/* The task of the worker process. */
struct job {
	const struct action *action;
	const char *input; /* for messages */
	struct trace_restore_file *files;
	size_t n_files;
	struct trace_dat_options options;
	int head, out;
};

static int cmd_restore(struct job *job, struct trace_dat_writer *writer, struct fathom_err *err)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *head = NULL;
	struct trace_dat_plan plan;
	uint64_t damage;
	int r = trace_input_read(job->head, job->input, 0, &head, err);

	if (r < 0)
		return r;
	/* A head without events is not damaged. */
	damage = fathom_trace_damage_count(head);
	r = trace_restore_plan(&plan, head, job->files, job->n_files, err);
	if (r == -EINVAL || r == -ENOMEM)
		err_prefix(err, "cannot use '%s'", job->input);
	if (r < 0)
		return r;
	r = trace_dat_write(writer, &plan, job->out, err);
	trace_dat_plan_done(&plan);
	if (r < 0)
		return r;
	if (fathom_trace_damage_count(head) == damage)
		return EXIT_OK;
	damage_report(job->action, head, job->input, false);
	return EXIT_DAMAGED;
}

static int restore_run_work(void *arg)
{
	struct job *job = arg;
	struct trace_dat_writer *writer;
	struct write_progress progress;
	struct fathom_err err = { 0 };
	uint64_t size = 0;
	int r;

	for (size_t i = 0; i < job->n_files; i++)
		size += job->files[i].size;
	write_progress_init(&progress, &job->options, job->action->messages);
	r = trace_dat_writer_new(&job->options, size, &writer, &err);
	if (r == 0) {
		r = sandbox_enter(&err);
		if (r >= 0)
			r = cmd_restore(job, writer, &err);
		trace_dat_writer_free(writer);
	}
	write_progress_done(&progress);
	return r < 0 ? action_failed(job->action, &err) : r;
}

/* The tracefs directory given on the command line, or that of this machine. */
static int open_tracing(const struct restore_args *args, int *ret_fd, struct fathom_err *err)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	int r;

	if (args->tracing) {
		*ret_fd = open(args->tracing, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return *ret_fd < 0 ? err_set_errno(err, negative_errno(), "cannot open '%s'",
						   args->tracing) :
				     0;
	}
	r = tracefs_find("", &tracefs, err);
	if (r < 0)
		return r;
	if (!tracefs_readable(&tracefs))
		return err_set(err, -EACCES, "cannot describe this machine's kernel: %s; %s",
			       tracefs_obstacle(&tracefs), tracefs_advice(&tracefs));
	*ret_fd = TAKE_FD(tracefs.fd);
	return 0;
}

static int restore_run_make_head(const struct restore_args *args, int fd, struct fathom_err *err)
{
	_cleanup_close_ int tracing = -1;
	struct machine_head head = { .root = "",
				     .kallsyms = args->kallsyms,
				     .is_copy = args->tracing != NULL };
	int r = open_tracing(args, &tracing, err);

	if (r < 0)
		return r;
	head.tracefs = tracing;
	return machine_head_write(&head, fd, err);
}

static int restore_run_create(const struct action *action, const struct restore_args *args)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	struct fathom_err err = { 0 };
	int r = new_file_open(&file, args->output ?: "trace-partial.dat", 0, args->mode, &err);

	if (r == 0)
		r = restore_run_make_head(args, file.fd, &err);
	if (r == 0)
		r = new_file_commit(&file, &err);
	return r < 0 ? action_failed(action, &err) : EXIT_OK;
}

static int open_files(struct job *job, char **paths, struct fathom_err *err)
{
	job->files = mem_zalloc(job->n_files, sizeof(*job->files));
	if (!job->files)
		return err_nomem(err);
	for (size_t i = 0; i < job->n_files; i++)
		job->files[i] = (struct trace_restore_file){ .path = paths[i], .fd = -1 };
	for (size_t i = 0; i < job->n_files; i++) {
		struct stat st;

		job->files[i].fd = trace_input_open(paths[i], err);
		if (job->files[i].fd < 0)
			return job->files[i].fd;
		if (fstat(job->files[i].fd, &st) < 0 || !S_ISREG(st.st_mode))
			return err_set(err, -EINVAL, "'%s' is not a regular file", paths[i]);
		job->files[i].size = (uint64_t)st.st_size;
	}
	return 0;
}

static int open_head(struct job *job, const struct restore_args *args, struct fathom_err *err)
{
	if (args->input) {
		job->input = args->input;
		job->options.as_it_is = true;
		job->head = trace_input_open(args->input, err);
		return job->head < 0 ? job->head : 0;
	}
	job->input = "the description of this machine";
	job->options.compression = COMPRESSION_ZSTD;
	job->head = memfd_create("head", MFD_CLOEXEC);
	if (job->head < 0)
		return err_set_errno(err, negative_errno(), "cannot create a memory file");
	return restore_run_make_head(args, job->head, err);
}

static int restore_run_job(struct job *job, const struct restore_args *args)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	int r = open_files(job, job->action->argv, &err);

	if (r == 0)
		r = trace_restore_names(job->files, job->n_files, &arena, &err);
	if (r == 0)
		r = open_head(job, args, &err);
	if (r == 0)
		r = new_file_open(&file, args->output ?: "trace.dat", 0, args->mode, &err);
	if (r == 0) {
		job->out = file.fd;
		r = child_write(job->action, &file, restore_run_work, job);
	} else {
		r = action_failed(job->action, &err);
	}
	arena_done(&arena);
	return r;
}

int restore_run(const struct action *action)
{
	const struct restore_args *args = action->args;
	struct job job = { .action = action, .n_files = (size_t)action->argc, .head = -1 };
	struct fathom_err err = { 0 };
	int r;

	if (args->create && args->input)
		err_set(&err, -EINVAL, "-c and -i are mutually exclusive");
	else if (args->create && action->argc)
		err_set(&err, -EINVAL, "unexpected argument '%s': -c writes no events",
			action->argv[0]);
	else if (!args->create && !action->argc)
		err_set(&err, -EINVAL, "no files given: use 'fathom restore trace.dat.cpu*'");
	else if (args->input && (args->tracing || args->kallsyms))
		err_set(&err, -EINVAL, "-t and -k cannot be combined with -i");
	if (err.code)
		return action_usage_error(action, &err);
	if (args->create)
		return restore_run_create(action, args);
	r = restore_run_job(&job, args);
	for (size_t i = 0; job.files && i < job.n_files; i++)
		if (job.files[i].fd >= 0)
			close(job.files[i].fd);
	if (job.head >= 0)
		close(job.head);
	free(job.files);
	return r < 0 ? child_follow(r) : r;
}
