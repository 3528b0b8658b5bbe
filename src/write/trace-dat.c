/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "write/trace-dat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/files/new-file.h"
#include "base/negative-errno.h"
#include "write/trace-dat-parts.h"

#define THREADS_MAX 8
/* Smaller traces are compressed faster than threads are started. */
#define WORTH_THREADS ((uint64_t)4 << 20)
/* Overlapping data of CPUs is damage; a file with this much of it is malicious. */
#define OVERLAP_MAX 16

DEFINE_CLEANUP(struct trace_dat_writer, trace_dat_writer_free);

/* Streams are in the order of buffer numbers, buffers in that of the file. */
static void trace_dat_plan_buffer(struct trace_dat_plan *plan, size_t number,
				  struct trace_dat_cpu *cpus)
{
	const struct fathom_trace *trace = plan->trace;
	uint32_t place = trace->buffer_order[number];
	const struct trace_buffer *of = &trace->file.buffers[place];

	plan->buffers[place] = (struct trace_dat_buffer){
		.name = of->name,
		.clock = of->clock,
		.layout = of->layout,
		.is_text = of->is_text,
		.text = number,
		.description = of->description_id,
		.cpus = cpus,
		.n_cpus = of->n_cpus,
	};
	if (!number)
		plan->page_size = of->layout.size;
}

int trace_dat_plan_init(struct trace_dat_plan *plan, struct fathom_trace *trace)
{
	const struct trace_file *file = &trace->file;
	size_t done = 0;

	*plan = (struct trace_dat_plan){
		.trace = trace,
		.n_buffers = file->n_buffers,
		.page_size = file->page_size,
		.machine_cpus = trace->info.cpus,
	};
	plan->buffers = mem_zalloc(file->n_buffers, sizeof(*plan->buffers));
	plan->cpus = mem_zalloc(trace->n_streams, sizeof(*plan->cpus));
	if (!plan->buffers || !plan->cpus) {
		trace_dat_plan_done(plan);
		return -ENOMEM;
	}
	for (size_t i = 0; i < trace->n_streams; i++) {
		const struct trace_stream *of = &trace->streams[i];

		plan->cpus[i] = (struct trace_dat_cpu){ .cpu = of->cpu->cpu, .of = of };
		plan->bytes += of->cpu->size;
	}
	for (size_t i = 0; i < file->n_buffers; i++) {
		trace_dat_plan_buffer(plan, i, plan->cpus + done);
		done += file->buffers[trace->buffer_order[i]].n_cpus;
	}
	for (size_t i = 0; i < file->n_sections; i++)
		if (file->sections[i].id == TRACE_ID_DONE)
			plan->options_description = file->sections[i].description_id;
	return 0;
}

void trace_dat_plan_done(struct trace_dat_plan *plan)
{
	free(plan->buffers);
	free(plan->cpus);
	*plan = (struct trace_dat_plan){ 0 };
}

static unsigned thread_count(const struct trace_dat_options *options, uint64_t size)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (options->threads)
		cpus = options->threads;
	else if (size < WORTH_THREADS)
		cpus = 1;
	/* A single worker would only keep this thread waiting. */
	return cpus <= 1 ? 0 : cpus < THREADS_MAX ? (unsigned)cpus : THREADS_MAX;
}

int trace_dat_writer_new(const struct trace_dat_options *options, uint64_t size,
			 struct trace_dat_writer **ret_writer, struct fathom_err *err)
{
	_cleanup_(trace_dat_writer_free_p) struct trace_dat_writer *writer =
		mem_zalloc(1, sizeof(*writer));
	int r;

	if (!writer)
		return err_nomem(err);
	writer->options = *options;
	if (!writer->options.version)
		writer->options.version = 7;
	if (writer->options.version != 6 && writer->options.version != 7)
		return err_set(err, -EINVAL, "unsupported trace file version %u: expected 6 or 7",
			       options->version);
	if (writer->options.version == 6 && options->compression != COMPRESSION_NONE)
		return err_set(err, -EINVAL,
			       "version 6 does not support compression: use version 7");
	if (options->compression >= COMPRESSION_UNKNOWN)
		return err_set(err, -ENOTSUP, "unknown compression");
	if (options->compression != COMPRESSION_NONE || options->as_it_is) {
		r = dat_pool_new(thread_count(options, size), &writer->pool);
		if (r < 0)
			return err_nomem(err);
	}
	*ret_writer = TAKE_PTR(writer);
	return 0;
}

void trace_dat_writer_free(struct trace_dat_writer *writer)
{
	if (!writer)
		return;
	dat_pool_free(writer->pool);
	free(writer);
}

/* Determines version and compression from the options or the trace. */
static int trace_dat_choose(struct dat_out *out)
{
	const struct trace_dat_options *options = &out->writer->options;

	out->version = options->as_it_is ? out->file->version : options->version;
	out->compression = options->as_it_is ? out->file->compression : options->compression;
	/* The events could not be read. */
	if (out->compression == COMPRESSION_UNKNOWN)
		out->compression = COMPRESSION_NONE;
	if (out->compression == COMPRESSION_NONE)
		return 0;
	out->pool = out->writer->pool;
	return dat_pool_set(out->pool, out->compression, options->level) < 0 ? err_nomem(out->err) :
									       0;
}

/* Rejects a small file that would fill the disk, because its CPUs share their data. */
static int check_overlap(const struct trace_dat_plan *plan, struct fathom_err *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->n_buffers; i++)
		for (uint32_t k = 0; k < plan->buffers[i].n_cpus; k++)
			if (plan->buffers[i].cpus[k].of)
				sum += plan->buffers[i].cpus[k].of->cpu->size;
	if (sum / OVERLAP_MAX <= plan->trace->source.size)
		return 0;
	return err_set(err, -EBADMSG, "data of different CPUs overlap");
}

int trace_dat_write(struct trace_dat_writer *writer, const struct trace_dat_plan *plan, int fd,
		    struct fathom_err *err)
{
	struct dat_out out = {
		.writer = writer,
		.plan = plan,
		.file = &plan->trace->file,
		.damage = &plan->trace->file.damage,
		.fd = fd,
		.e.big_endian = plan->trace->file.big_endian,
		.err = err,
	};
	int r = check_overlap(plan, err);

	if (r == 0)
		r = trace_dat_choose(&out);
	if (r == 0)
		r = dat_find_sections(&out);
	if (r == 0) {
		out.places = mem_zalloc(plan->n_buffers, sizeof(*out.places));
		r = out.places ? 0 : err_nomem(err);
	}
	if (r == 0)
		r = out.version == 6 ? dat_write_v6(&out) : dat_write_v7(&out);
	if (r == 0)
		r = dat_flush(&out);
	trace_encoder_done(&out.e);
	free(out.sections);
	free(out.places);
	return r;
}

/* Writes @trace, called @name in messages, to @fd. */
static int convert_trace(struct fathom_trace *trace, const char *name,
			 const struct trace_dat_options *options, int fd, struct fathom_err *err)
{
	_cleanup_(trace_dat_writer_free_p) struct trace_dat_writer *writer = NULL;
	struct trace_dat_plan plan;
	int r = trace_dat_writer_new(options, trace->source.size, &writer, err);

	if (r < 0)
		return r;
	if (trace_dat_plan_init(&plan, trace) < 0)
		return err_nomem(err);
	r = trace_dat_write(writer, &plan, fd, err);
	trace_dat_plan_done(&plan);
	if (r < 0)
		err_prefix(err, "cannot convert '%s'", name);
	return r;
}

int trace_dat_convert(const char *in, const char *out, const struct trace_dat_options *options,
		      struct fathom_err *err)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	int r = fathom_trace_open(in, 0, &trace, err);

	if (r == 0)
		r = new_file_open(&file, out, 0, 0, err);
	if (r == 0)
		r = convert_trace(trace, in, options, file.fd, err);
	if (r == 0)
		r = new_file_commit(&file, err);
	return r < 0 ? r : fathom_trace_damage_count(trace) > 0;
}

int trace_dat_convert_fd(int in, const char *name, const struct trace_dat_options *options, int out,
			 struct fathom_err *err)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	int r, fd = fcntl(in, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return err_set_errno(err, negative_errno(), "cannot read '%s'", name);
	r = fathom_trace_open_fd(fd, 0, &trace, err);
	return r < 0 ? r : convert_trace(trace, name, options, out, err);
}
