/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the report of a whole trace file: as text and JSON, in one of the other formats, chosen by
 * the size of the input, and as shown by 'fathom info'. Whatever the file contains, the output is
 * text, and lines of JSON contain no control characters.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "render/report/graph.h"
#include "render/report/report-filter.h"
#include "render/report/report-json.h"
#include "render/report/report-run.h"
#include "render/machine/trace-info.h"
#include "render/waits/wakeup.h"
#include "input.h"

/* A few kilobytes can claim to decompress to gigabytes; reading further reveals nothing new. */
#define EVENTS_MAX 500

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct report_options forms[] = {
	{ .compat_31 = true, .nanoseconds = true },
	{ .latency = true, .time_diff = true, .time = REPORT_TIME_DELTA },
	{ .raw = true, .time = REPORT_TIME_RELATIVE, .boundary = true, .debug = true },
	{ .plain = true, .color_name = "<", .color_lost = "<", .color_end = ">" },
	{ .parent = true, .offset = true, .tail_name = true, .depth = true },
	{ .retval = REPORT_RETVAL_DECIMAL, .no_indent = true },
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static FILE *nowhere;

/* The JSON writer, and a check of its output. */
static void write_json(void *data, struct report_input *input, struct fathom_event *event,
		       struct text *text)
{
	size_t before = text_len(text), len;
	const char *line;

	report_write_json(data, input, event, text);
	line = text->s + before;
	len = text_len(text) - before;
	if (!len || line[0] != '{' || line[len - 1] != '\n')
		abort();
	for (size_t i = 0; i + 1 < len; i++)
		if ((unsigned char)line[i] < ' ')
			abort();
}

static void run(struct fathom_trace *trace, const struct report_options *options,
		report_writer *writer, void *data, enum report_select select, const char *filter)
{
	struct report_input input = { .trace = trace, .window = FATHOM_WINDOW_ALL };
	struct report_run whole = {
		.inputs = &input,
		.n_inputs = 1,
		.writer = writer,
		.writer_data = data,
		.select = select,
		.count = EVENTS_MAX,
		.check_time = true,
	};
	struct report_filter filters;
	struct sink sink;

	if (report_new(trace, options, NULL, &input.report, NULL) < 0)
		return;
	if (sink_init(&sink, fileno(nowhere)) < 0)
		abort();
	report_filter_init(&filters, input.report, trace);
	if (filter && report_filter_add(&filters, filter, false, NULL) == 0 &&
	    report_filter_bind(&filters, NULL) == 0) {
		input.wanted = report_filter_wanted;
		input.wanted_data = &filters;
	}
	if (report_run_label(&whole) == 0)
		(void)report_run(&whole, &sink, NULL);
	if (writer == graph_write)
		graph_write_end(data, &input, &sink.text);
	sink_flush(&sink);
	report_run_done(&whole);
	report_filter_done(&filters);
	report_free(input.report);
	sink_done(&sink);
}

static void run_form(struct fathom_trace *trace, size_t form)
{
	static const struct report_options plain = { 0 };
	struct report_json json = { 0 };
	struct wakeup wakeup = { 0 };
	struct graph graph = { 0 };

	if (form < FORMS)
		run(trace, &forms[form], report_write_text, NULL, REPORT_FIRST, NULL);
	else if (form == FORMS)
		run(trace, &plain, report_write_csv, &json, REPORT_LAST, NULL);
	else if (form == FORMS + 1)
		run(trace, &plain, graph_write, &graph, REPORT_FIRST, NULL);
	else if (form == FORMS + 2)
		run(trace, &plain, wakeup_write, &wakeup, REPORT_FIRST, NULL);
	else
		run(trace, &plain, report_write_text, NULL, REPORT_FIRST,
		    "common_pid > 1 and (comm ~ \"*a*\" or prev_pid != 0)");
	report_json_done(&json);
	wakeup_done(&wakeup);
	graph_done(&graph);
}

static void tell_about(struct fathom_trace *trace, bool json)
{
	struct out out = { .stream = nowhere, .width = 80 };
	struct trace_info *info;

	if (trace_info_new(trace, "trace.dat", TRACE_INFO_FORMATS | TRACE_INFO_SECTIONS, &info,
			   NULL) < 0)
		return;
	(void)(json ? trace_info_print_json(info, false, nowhere) : trace_info_print(info, &out));
	trace_info_free(info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct report_options plain = { 0 };
	struct report_json json = { 0 };
	struct fathom_trace *trace;
	int fd = fuzz_file(data, size);

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	if (!nowhere)
		abort();
	if (fathom_trace_open_fd(fd, size & 1 ? FATHOM_OPEN_NO_MAP : 0, &trace, NULL) < 0)
		return 0;
	run(trace, &plain, report_write_text, NULL, REPORT_FIRST, NULL);
	run(trace, &plain, write_json, &json, REPORT_FIRST, NULL);
	report_json_done(&json);
	run_form(trace, size % (FORMS + 4));
	tell_about(trace, size & 1);
	fathom_trace_free(trace);
	return 0;
}
