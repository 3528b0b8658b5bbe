/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that a report made in steps, while events arrive, has the same text as one made at once. */
#include "test.h"

#include "base/cleanup.h"
#include "read/live.h"
#include "trace-sample.h"

static const struct sample_event events[] = {
	{ SAMPLE_WAKEUP, 0, 1000, 42, 43, 120 },
	{ SAMPLE_ENTRY, 1, 2000, 42, SAMPLE_FIRST, 0 },
	{ SAMPLE_EXIT, 1, 3000, 42, SAMPLE_FIRST, 0, 1500 },
	{ SAMPLE_ENTRY, 0, 4000, 43, SAMPLE_FIRST, 0 },
	{ SAMPLE_ENTRY, 0, 5000, 43, SAMPLE_SECOND, 1 },
	{ SAMPLE_EXIT, 0, 6000, 43, SAMPLE_SECOND, 1, 500 },
	{ SAMPLE_EXIT, 0, 7000, 43, SAMPLE_FIRST, 0, 2500 },
	{ SAMPLE_LOST, 1, .a = 3 },
	{ SAMPLE_MESSAGE, 1, 8000, 42 },
	{ SAMPLE_ENTRY, 1, 9000, 42, SAMPLE_THIRD, 0 },
	{ SAMPLE_END },
};

static struct fathom_trace *sample;

/* A sample whose pages are fed one by one, and its report. */
struct live_report {
	struct fathom_trace *file, *trace;
	struct report *report;
	struct report_input input;
	struct report_run run;
	struct sink sink;
};

static void live_report_done(struct live_report *live)
{
	report_run_done(&live->run);
	sink_done(&live->sink);
	report_free(live->report);
	fathom_trace_free(live->trace);
}

static int feed_all(struct live_report *live)
{
	struct live_stream streams[2];
	int r;

	assert_int_equal(live->file->n_streams, ARRAY_SIZE(streams));
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		streams[i] = (struct live_stream){ 0, live->file->streams[i].cpu->cpu };
	r = live_init(live->trace, streams, ARRAY_SIZE(streams), 1 << 20, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(streams) && r == 0; i++) {
		const struct trace_cpu *cpu = live->file->streams[i].cpu;
		struct block_ring *queue = live_queue(live->trace, i);

		for (uint64_t at = 0; at < cpu->size; at += queue->size) {
			memcpy(block_ring_room(queue), live->file->source.map + cpu->offset + at,
			       queue->size);
			block_ring_add(queue);
		}
	}
	return r;
}

static int live_report_init(struct live_report *live, const struct report_options *options)
{
	int r = fathom_trace_open_fd(dup(sample->source.fd), 0, &live->trace, NULL);

	live->file = sample;
	if (r == 0)
		r = feed_all(live);
	if (r == 0)
		r = report_new(live->trace, options, NULL, &live->report, NULL);
	if (r == 0)
		r = sink_init(&live->sink, -1);
	live->input = (struct report_input){ .trace = live->trace,
					     .report = live->report,
					     .window = { .to = 0 } };
	live->run = (struct report_run){ .inputs = &live->input,
					 .n_inputs = 1,
					 .writer = report_write_text };
	return r < 0 ? r : report_run_begin(&live->run, NULL);
}

static int step(struct live_report *live, uint64_t to, bool wait)
{
	int r = live_resume(&live->input.lookahead, to);

	if (r == 0)
		r = report_run_step(&live->run, &live->sink, wait, NULL);
	live_release(live->trace, &live->input.lookahead);
	return r;
}

static const char *text_of(struct live_report *live)
{
	return text_end(&live->sink.text);
}

static int show_in_steps(void *arg)
{
	static const struct report_options options = { 0 };
	_cleanup_(live_report_done) struct live_report live = { 0 };
	const char *expected = arg;
	int r = live_report_init(&live, &options);

	for (uint64_t to = 500; to < 10000 && r == 0; to += 250)
		r = step(&live, to, true);
	if (r == 0)
		r = step(&live, UINT64_MAX, false);
	if (r == 0 && expected)
		assert_string_equal(text_of(&live), expected);
	return r;
}

static void equals_the_report_of_the_finished_file(void **state)
{
	const struct sample_view view = { .writer = report_write_text };
	char *expected = strdup(sample_show(&view, events));

	assert_non_null(expected);
	assert_non_null(strstr(expected, "|  first();"));
	assert_int_equal(show_in_steps(expected), 0);
	free(expected);
}

/* A call waits until it is known whether it contains others, but not forever. */
static void holds_a_call(void **state)
{
	static const struct report_options options = { 0 };
	_cleanup_(live_report_done) struct live_report live = { 0 };
	size_t len;

	require(live_report_init(&live, &options) >= 0);
	assert_int_equal(step(&live, 2500, true), 0);
	assert_true(live.run.held);
	assert_null(strstr(text_of(&live), "first"));
	assert_int_equal(step(&live, 3500, true), 0);
	assert_false(live.run.held);
	assert_non_null(strstr(text_of(&live), "1.500 us   |  first();"));
	len = text_len(&live.sink.text);
	assert_int_equal(step(&live, 4500, true), 0);
	assert_true(live.run.held);
	assert_int_equal(text_len(&live.sink.text), len);
	assert_int_equal(step(&live, 4600, false), 0);
	assert_non_null(strstr(text_of(&live) + len, "|  first() {"));
}

static void ends_after_the_requested_number(void **state)
{
	static const struct report_options options = { 0 };
	_cleanup_(live_report_done) struct live_report live = { 0 };

	require(live_report_init(&live, &options) >= 0);
	live.run.left = 2;
	assert_int_equal(step(&live, 1500, true), 0);
	assert_int_equal(step(&live, 10000, true), 1);
	assert_null(strstr(text_of(&live), "second"));
}

static void survives_failing_allocations(void **state)
{
	oom_check(show_in_steps, NULL);
}

static int set_up(void **state)
{
	return sample_open(events, &sample) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	fathom_trace_free(sample);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_report_of_the_finished_file),
		cmocka_unit_test(holds_a_call),
		cmocka_unit_test(ends_after_the_requested_number),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
