/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes conversion: writes a whole trace file in each form, and in parts. Files written without an
 * error can be opened.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "read/trace.h"
#include "write/trace-split.h"
#include "input.h"

/* A few kilobytes can claim to decompress to gigabytes. */
#define OUTPUT_MAX ((rlim_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_open(struct trace_dat_writer *writer, const struct trace_dat_plan *plan)
{
	int fd = fuzz_file(NULL, 0);
	struct fathom_trace *trace;

	if (trace_dat_write(writer, plan, fd, NULL) < 0) {
		close(fd);
		return;
	}
	if (fathom_trace_open_fd(fd, 0, &trace, NULL) < 0)
		abort();
	fathom_trace_free(trace);
}

static void convert(struct fathom_trace *trace, const struct trace_dat_options *options)
{
	struct trace_dat_writer *writer;
	struct trace_dat_plan plan;

	if (trace_dat_writer_new(options, 0, &writer, NULL) < 0 ||
	    trace_dat_plan_init(&plan, trace) < 0)
		abort();
	write_and_open(writer, &plan);
	trace_dat_plan_done(&plan);
	trace_dat_writer_free(writer);
}

static void split(struct fathom_trace *trace)
{
	static const struct trace_split_options options = { .to = UINT64_MAX,
							    .unit = TRACE_SPLIT_EVENTS,
							    .count = 50 };
	const struct trace_dat_options dat = { .as_it_is = true };
	const struct trace_dat_plan *plan;
	struct trace_dat_writer *writer;
	struct trace_split *parts;

	if (trace_split_new(trace, &options, &parts, NULL) < 0)
		return;
	if (trace_dat_writer_new(&dat, 0, &writer, NULL) < 0)
		abort();
	for (int i = 0; i < 3 && trace_split_next(parts, &plan, NULL) == 1; i++)
		write_and_open(writer, plan);
	trace_split_free(parts);
	trace_dat_writer_free(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct trace_dat_options kinds[] = {
		{ .version = 6 },
		{ .version = 7 },
		{ .version = 7, .compression = COMPRESSION_ZSTD, .level = 1 },
	};
	struct rlimit limit = { OUTPUT_MAX, OUTPUT_MAX };
	struct fathom_trace *trace;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	if (fathom_trace_open_fd(fuzz_file(data, size), 0, &trace, NULL) < 0)
		return 0;
	convert(trace, &kinds[size % 3]);
	split(trace);
	fathom_trace_free(trace);
	return 0;
}
