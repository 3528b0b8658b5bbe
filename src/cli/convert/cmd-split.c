/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fathom split: parts of a trace file as files of their own. Each part is written by a
 * sandboxed process; where it has stopped stands in a file in memory, from which the
 * next one goes on.
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

#define TOP_NAME "top" /* what -B and messages call the main buffer */

static int split_run_set_unit(struct split_args *args, const char *value,
			      enum trace_split_unit unit, uint64_t ns, struct fathom_err *err)
{
	unsigned long long n;
	char *end;

	if (args->options.unit)
		return err_set(err, -EINVAL,
			       "only one of '-s', '-m', '-u', '-e' and '-p' at a time");
	errno = 0;
	n = strtoull(value, &end, 10);
	if (errno || *end || value[0] < '0' || value[0] > '9' || !n ||
	    __builtin_mul_overflow(n, ns, &args->options.count))
		return err_set(err, -EINVAL, "'%s' is not a number of 1 or more", value);
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
		return err_set(err, -EINVAL, "'%s' is not the number of a CPU", value);
	options->has_cpu = options->per_cpu = true;
	options->cpu = (uint32_t)cpu;
	return 0;
}

static int split_run_add_named(struct split_args *args, const char *name, struct fathom_err *err)
{
	if (args->options.n_buffers == BUFFERS_MAX)
		return err_set(err, -E2BIG, "'%s' is one too many; %d buffers can be named", name,
			       BUFFERS_MAX);
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

/* The buffer that was named last, for those options that say more about it. */
static struct trace_split_buffer *last_buffer(struct split_args *args, const char *option,
					      struct fathom_err *err)
{
	if (args->options.n_buffers)
		return &args->buffers[args->options.n_buffers - 1];
	err_set(err, -EINVAL, "'%s' must come after the '--top' or '-B' that it is for", option);
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
	OPT_STRING('i', "input", "FILE", ARGS, input, "read this file; default is trace.dat"),
	OPT_STRING('o', "output", "FILE", ARGS, output,
		   "write this file; default is the input's name with '.1' behind it"),
	OPT_MODE(ARGS, mode),
	OPT_CALL('s', "seconds", "N", set_seconds, "a part lasts so many seconds"),
	OPT_CALL('m', "milliseconds", "N", set_milliseconds, "a part lasts so many milliseconds"),
	OPT_CALL('u', "microseconds", "N", set_microseconds, "a part lasts so many microseconds"),
	OPT_CALL('e', "events", "N", set_events, "a part has so many events"),
	OPT_CALL('p', "pages", "N", set_pages, "a part has so many pages of each CPU"),
	OPT_FLAG('r', "repeat", ARGS, repeat,
		 "write one part after the other to the end, as FILE.0001 and so on"),
	OPT_FLAG('c', "per-cpu", ARGS, options.per_cpu, "count for each CPU by itself"),
	OPT_CALL('C', "cpu", "CPU", set_cpu, "take this CPU only, and count for it"),
	OPT_CALL('B', "buffer", "NAME", split_run_add_buffer,
		 "take this buffer (may be given several times); default is all"),
	OPT_CALL(0, "top", NULL, add_top, "take the main buffer"),
	OPT_CALL('b', "rename", "NAME", rename_buffer, "call the buffer named before it so"),
	OPT_CALL('t', "as-top", NULL, make_top, "make the buffer named before it the main one"),
	OPT_END,
};

const struct command command_split = {
	.name = "split",
	.summary = "write parts of a trace file as files of their own",
	.description =
		"Writes the events from a start to an end, as 'report' shows their times, to "
		"a file of their own; or the first so many, or all in pieces. All else "
		"in the file is in each part. The parts are of the same version and "
		"compression.",
	.operands = "[START [END]]",
	.options = options,
	.args_size = sizeof(struct split_args),
	.run = split_run,
};
