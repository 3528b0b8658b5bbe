/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A part of a trace as trace.dat, version 7 or, for programs that need it, version 6. Pages of the
 * ring buffer are copied, and cut where the window begins and ends, so events cannot be selected
 * one by one.
 */
#include <errno.h>

#include "base/err.h"
#include "base/mem.h"
#include "render/export.h"
#include "write/trace-dat.h"
#include "write/trace-split.h"

struct dat_state {
	struct trace_dat_writer *writer;
	struct trace_split *split;
	struct trace_split_options options;
	struct trace_split_buffer *buffers;
};

static int export_trace_dat_prepare(struct export *export, const struct trace_dat_options *options,
				    struct fathom_err *err)
{
	struct dat_state *state = export->state;

	return trace_dat_writer_new(options, 0, &state->writer, err);
}

static int prepare_v7(struct export *export, struct fathom_err *err)
{
	static const struct trace_dat_options options = { .version = 7,
							  .compression = COMPRESSION_ZSTD };

	return export_trace_dat_prepare(export, &options, err);
}

static int prepare_v6(struct export *export, struct fathom_err *err)
{
	static const struct trace_dat_options options = { .version = 6 };

	return export_trace_dat_prepare(export, &options, err);
}

/* Rejects selections that cannot be implemented by cutting pages. */
static int export_trace_dat_check(const struct export *export, struct fathom_err *err)
{
	const char *what = NULL;

	if (export->input->wanted)
		what = "filters, tasks and interrupts";
	else if (export->run->select != REPORT_ALL)
		what = "--first, --last and --around";
	else if (export->input->window.n_cpus > 1)
		what = "several CPUs";
	if (!what)
		return 0;
	return err_set(
		err, -EINVAL,
		"format '%s' copies whole pages and does not support %s: use --from, --to, -B or "
		"one --cpu",
		export->output->name, what);
}

static int export_trace_dat_set_options(struct export *export, struct fathom_err *err)
{
	struct dat_state *state = export->state;
	const struct fathom_window *window = &export->input->window;
	struct trace_split_options *options = &state->options;

	options->from = window->from;
	options->to = window->to;
	if (window->n_cpus) {
		options->has_cpu = true;
		options->cpu = window->cpus[0];
	}
	if (!window->buffers)
		return 0;
	state->buffers = mem_zalloc(window->n_buffers, sizeof(state->buffers[0]));
	if (!state->buffers)
		return err_nomem(err);
	for (size_t i = 0; i < window->n_buffers; i++) {
		struct fathom_trace_buffer buffer;

		if (fathom_trace_buffer(export->input->trace, window->buffers[i], &buffer) < 0)
			continue;
		state->buffers[options->n_buffers++] =
			(struct trace_split_buffer){ buffer.name, buffer.name };
	}
	options->buffers = state->buffers;
	return 0;
}

static int export_trace_dat_copy(struct export *export, int fd, struct fathom_err *err)
{
	struct dat_state *state = export->state;
	const struct trace_dat_plan *plan;
	int r = export_trace_dat_check(export, err);

	if (r == 0)
		r = export_trace_dat_set_options(export, err);
	if (r == 0)
		r = trace_split_new(export->input->trace, &state->options, &state->split, err);
	if (r < 0)
		return r;
	r = trace_split_next(state->split, &plan, err);
	if (r < 0)
		return r;
	export->events = (uint64_t)r;
	return trace_dat_write(state->writer, plan, fd, err);
}

static void export_trace_dat_done(struct export *export)
{
	struct dat_state *state = export->state;

	trace_split_free(state->split);
	trace_dat_writer_free(state->writer);
	free(state->buffers);
}

const struct export_output export_trace_dat = {
	.name = "dat",
	.suffix = ".dat",
	.summary = "trace.dat version 7: trace-cmd, KernelShark, fathom",
	.open = "open it with kernelshark, 'trace-cmd report' or 'fathom report'",
	.flags = EXPORT_BINARY | EXPORT_SEEKS,
	.state_size = sizeof(struct dat_state),
	.prepare = prepare_v7,
	.copy = export_trace_dat_copy,
	.done = export_trace_dat_done,
};

const struct export_output export_trace_dat_v6 = {
	.name = "dat6",
	.suffix = ".v6.dat",
	.summary = "trace.dat version 6: old trace-cmd, ftrace reader of Trace Compass",
	.open = "open it with Trace Compass, kernelshark or 'trace-cmd report'",
	.flags = EXPORT_BINARY | EXPORT_SEEKS,
	.state_size = sizeof(struct dat_state),
	.prepare = prepare_v6,
	.copy = export_trace_dat_copy,
	.done = export_trace_dat_done,
};
