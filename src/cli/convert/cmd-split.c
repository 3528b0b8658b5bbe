/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fathom split: write a time range or parts to separate files. Each part is written by a
 * sandboxed process of its own, which leaves its position in a memory file for the next one.
 */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/convert/split-run.h"
#include "base/err.h"
#include "base/str.h"
#include "render/report/report.h"
#include "write/trace-split.h"

#define TOP_NAME "top" /* the name of the top-level buffer in -B and in messages */

static int split_run_set_unit(struct split_args *args, const char *value,
			      enum trace_split_unit unit, uint64_t ns, struct fathom_err *err)
{
	unsigned long long n;
	char *end;

	if (args->options.unit)
		return err_set(err, -EINVAL, "-s, -m, -u, -e and -p are mutually exclusive");
	errno = 0;
	n = strtoull(value, &end, 10);
	if (errno || *end || value[0] < '0' || value[0] > '9' || !n ||
	    __builtin_mul_overflow(n, ns, &args->options.count))
		return err_set(err, -EINVAL, "invalid size of a part '%s': expected 1 or more",
			       value);
	args->options.unit = unit;
	return 0;
}

static int set_seconds(void *args, const char *value, struct fathom_err *err)
{
	return split_run_set_unit(args, value, TRACE_SPLIT_TIME, 1000000000, err);
}

static int set_milliseconds(void *args, const char *value, struct fathom_err *err)
{
	return split_run_set_unit(args, value, TRACE_SPLIT_TIME, 1000000, err);
}

static int set_microseconds(void *args, const char *value, struct fathom_err *err)
{
	return split_run_set_unit(args, value, TRACE_SPLIT_TIME, 1000, err);
}

static int set_events(void *args, const char *value, struct fathom_err *err)
{
	return split_run_set_unit(args, value, TRACE_SPLIT_EVENTS, 1, err);
}

static int set_pages(void *args, const char *value, struct fathom_err *err)
{
	return split_run_set_unit(args, value, TRACE_SPLIT_PAGES, 1, err);
}

static int set_cpu(void *args, const char *value, struct fathom_err *err)
{
	struct trace_split_options *options = &((struct split_args *)args)->options;
	unsigned long cpu;
	char *end;

	errno = 0;
	cpu = strtoul(value, &end, 10);
	if (errno || *end || value[0] < '0' || value[0] > '9' || cpu > UINT32_MAX)
		return err_set(err, -EINVAL, "invalid CPU number '%s'", value);
	options->has_cpu = options->per_cpu = true;
	options->cpu = (uint32_t)cpu;
	return 0;
}

static int split_run_add_named(struct split_args *args, const char *name, struct fathom_err *err)
{
	if (args->options.n_buffers == BUFFERS_MAX)
		return err_set(err, -E2BIG, "too many buffers: expected at most %d", BUFFERS_MAX);
	args->options.buffers = args->buffers;
	args->buffers[args->options.n_buffers++] = (struct trace_split_buffer){ name, name };
	return 0;
}

static int split_run_add_buffer(void *args, const char *value, struct fathom_err *err)
{
	return split_run_add_named(args, str_eq(value, TOP_NAME) ? "" : value, err);
}

static int add_top(void *args, const char *value, struct fathom_err *err)
{
	return split_run_add_named(args, "", err);
}

/* The buffer selected last, for the options that modify it. */
static struct trace_split_buffer *last_buffer(struct split_args *args, const char *option,
					      struct fathom_err *err)
{
	if (args->options.n_buffers)
		return &args->buffers[args->options.n_buffers - 1];
	err_set(err, -EINVAL, "%s requires a preceding --top or -B", option);
	return NULL;
}

static int rename_buffer(void *args, const char *value, struct fathom_err *err)
{
	struct trace_split_buffer *buffer = last_buffer(args, "-b", err);

	if (!buffer)
		return -EINVAL;
	buffer->new_name = value;
	return 0;
}

static int make_top(void *args, const char *value, struct fathom_err *err)
{
	struct trace_split_buffer *buffer = last_buffer(args, "-t", err);

	if (!buffer)
		return -EINVAL;
	buffer->new_name = "";
	return 0;
}

#define ARGS struct split_args

static const struct option_def options[] = {
	OPT_GROUP("Parts"),
	OPT_CALL('s', "seconds", "N", set_seconds, "duration of a part in seconds"),
	OPT_CALL('m', "milliseconds", "N", set_milliseconds, "duration of a part in milliseconds"),
	OPT_CALL('u', "microseconds", "N", set_microseconds, "duration of a part in microseconds"),
	OPT_CALL('e', "events", "N", set_events, "number of events of a part"),
	OPT_CALL('p', "pages", "N", set_pages, "number of pages of a part, for each CPU"),
	OPT_FLAG('r', "repeat", ARGS, repeat, "write all parts, as FILE.0001 and so on"),
	OPT_FLAG('c', "per-cpu", ARGS, options.per_cpu,
		 "count time and events for each CPU separately"),
	OPT_GROUP("What to write"),
	OPT_CALL('C', "cpu", "CPU", set_cpu, "write only the events of this CPU"),
	OPT_CALL('B', "buffer", "NAME", split_run_add_buffer,
		 "write only this buffer; may be repeated (default: all)"),
	OPT_CALL(0, "top", NULL, add_top, "write only the top-level buffer"),
	OPT_CALL('b', "rename", "NAME", rename_buffer, "rename the buffer selected before"),
	OPT_CALL('t', "as-top", NULL, make_top,
		 "make the buffer selected before the top-level buffer"),
	OPT_GROUP("Output"),
	OPT_STRING('i', "input", "FILE", ARGS, input, "trace file to read (default: trace.dat)"),
	OPT_STRING('o', "output", "FILE", ARGS, output,
		   "output file (default: the name of the input with the suffix .1)"),
	OPT_MODE(ARGS, mode),
	OPT_END,
};

const struct command command_split = {
	.name = "split",
	.summary = "write a time range or parts to separate files",
	.description =
		"Writes the events from time START to time END to another file; or the first part of "
		"a given size; or all parts. Everything else is copied to each part, with the same "
		"version and compression.",
	.operands = "[START [END]]",
	.options = options,
	.args_size = sizeof(struct split_args),
	.run = split_run,
};
