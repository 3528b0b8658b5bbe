/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/machine/trace-info-parts.h"
#include "trace-sample.h"

static const struct sample_event events[] = {
	{ SAMPLE_MESSAGE, 0, 1000, 42 },
	{ SAMPLE_LOST, 0, .a = 12 },
	{ SAMPLE_MESSAGE, 0, 3000, 42 },
	{ SAMPLE_WAKEUP, 2, 2000, 42, 43, 120 },
	{ SAMPLE_LOST, 2, .a = UINT64_MAX },
	{ SAMPLE_UNKNOWN, 2, 9000, 42 },
	{ SAMPLE_END },
};

static struct fathom_trace *open_sample(void)
{
	struct fathom_trace *trace = NULL;

	assert_int_equal(sample_open(events, &trace), 0);
	return trace;
}

static void finds_times_without_reading_everything(void **state)
{
	struct fathom_trace *trace = open_sample();
	struct trace_info *info = NULL;

	assert_int_equal(trace_info_new(trace, "file", 0, &info, NULL), 0);
	assert_int_equal(info->n_cpus, 2);
	assert_int_equal(info->cpus[0].cpu, 0);
	assert_int_equal(info->cpus[0].first, 1000);
	assert_int_equal(info->cpus[0].last, 3000);
	assert_int_equal(info->cpus[1].cpu, 2);
	assert_int_equal(info->first, 1000);
	assert_int_equal(info->last, 9000);
	assert_int_equal(info->total, 0);
	trace_info_free(info);
	fathom_trace_free(trace);
}

static void counts_events_and_losses(void **state)
{
	struct fathom_trace *trace = open_sample();
	struct trace_info *info = NULL;

	assert_int_equal(trace_info_new(trace, "file", TRACE_INFO_COUNT | TRACE_INFO_FORMATS, &info,
					NULL),
			 0);
	assert_int_equal(info->total, 4);
	assert_int_equal(info->counts[5], 2);
	assert_int_equal(info->counts[4], 1);
	assert_int_equal(info->counts[999], 1);
	assert_int_equal(info->lost, 12);
	assert_true(info->lost_unknown);
	assert_int_equal(info->cpus[0].events, 2);
	assert_int_equal(info->cpus[0].lost, 12);
	assert_false(info->cpus[0].lost_unknown);
	assert_true(info->cpus[1].lost_unknown);
	assert_int_equal(info->n_failed, 0);
	assert_int_equal(info->n_formats_used, 8);
	trace_info_free(info);
	fathom_trace_free(trace);
}

/* Returns the output of trace_info_print() or its JSON. The caller frees it. */
static char *print(unsigned what, bool json)
{
	struct fathom_trace *trace = open_sample();
	struct trace_info *info = NULL;
	struct out out;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(trace_info_new(trace, "file", what, &info, NULL), 0);
	out_init(&out, stream, OUT_COLOR_NEVER);
	assert_int_equal(json ? trace_info_print_json(info, false, stream) :
				trace_info_print(info, &out),
			 0);
	fclose(stream);
	trace_info_free(info);
	fathom_trace_free(trace);
	return text;
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void prints_text(void **state)
{
	char *text = print(TRACE_INFO_COUNT, false);

	expect_part(text, "file        file, ");
	expect_part(text, "format      trace.dat version 6, little endian, 64-bit kernel, "
			  "4096-byte pages\n");
	expect_part(text, "events      4 of 3 kinds\n");
	expect_part(text, " 2 ftrace:print\n");
	expect_part(text, "time        0.000001000 to 0.000009000, 0.000008 seconds\n");
	free(text);
}

static void prints_json(void **state)
{
	char *text = print(TRACE_INFO_COUNT | TRACE_INFO_FORMATS, true);

	expect_part(text, "\"file\": \"file\",\n");
	expect_part(text, "\"first_time_ns\": 1000,\n  \"last_time_ns\": 9000,\n");
	expect_part(text, "\"event_count\": 4,\n");
	expect_part(text, "\"lost_event_count\": 12,\n    \"lost_count_is_minimum\": true\n");
	free(text);
}

static int make(void *arg)
{
	struct trace_info *info;
	int r = trace_info_new(arg, "file", TRACE_INFO_COUNT | TRACE_INFO_FORMATS, &info, NULL);

	if (r == 0)
		trace_info_free(info);
	return r;
}

static void survives_failing_allocations(void **state)
{
	struct fathom_trace *trace = open_sample();

	/* The trace keeps sections and formats, so these are read once, before allocations fail. */
	assert_int_equal(make(trace), 0);
	oom_check(make, trace);
	fathom_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_times_without_reading_everything),
		cmocka_unit_test(counts_events_and_losses),
		cmocka_unit_test(prints_text),
		cmocka_unit_test(prints_json),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
