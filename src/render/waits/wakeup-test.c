/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/waits/wakeup.h"
#include "trace-sample.h"

static const struct sample_event events[] = {
	{ SAMPLE_WAKEUP, 0, 1000000, 42, 43, 120 },
	{ SAMPLE_WAKEUP, 1, 1001000, 42, 44, 50 },
	{ SAMPLE_SWITCH, 1, 1011500, 42, 44, 50 },
	{ SAMPLE_SWITCH, 0, 1500000, 42, 43, 120 },
	/* Tasks without a wakeup, and the idle task. */
	{ SAMPLE_SWITCH, 0, 1600000, 43, 43, 120 },
	{ SAMPLE_SWITCH, 0, 1700000, 43, 99, 120 },
	{ SAMPLE_WAKEUP, 0, 1800000, 42, 0, 120 },
	{ SAMPLE_SWITCH, 0, 1900000, 43, 0, 120 },
	{ SAMPLE_END },
};

static int end(void *data, struct report_input *input, struct text *text)
{
	return wakeup_write_summary(data, text);
}

static void done(void *data)
{
	wakeup_done(data);
}

static const struct sample_view waits = { .options = { .plain = true, .compat_31 = true },
					  .writer = wakeup_write,
					  .data_size = sizeof(struct wakeup),
					  .end = end,
					  .done = done };

static void reports_wakeup_latency(void **state)
{
	assert_string_equal(
		sample_show(&waits, events),
		"            task-42    [000]     0.001000: sched_wakeup:         pid=43 prio=120\n"
		"            task-42    [001]     0.001001: sched_wakeup:         pid=44 prio=50\n"
		"            task-42    [001]     0.001012: sched_switch:         next_pid=44 next_prio=50 Latency: 10.500 usecs\n"
		"            task-42    [000]     0.001500: sched_switch:         next_pid=43 next_prio=120 Latency: 500.000 usecs\n"
		"    another-task-43    [000]     0.001600: sched_switch:         next_pid=43 next_prio=120\n"
		"    another-task-43    [000]     0.001700: sched_switch:         next_pid=99 next_prio=120\n"
		"            task-42    [000]     0.001800: sched_wakeup:         pid=0 prio=120\n"
		"    another-task-43    [000]     0.001900: sched_switch:         next_pid=0 next_prio=120\n"
		"\n"
		"Average wakeup latency: 255.250 usecs\n"
		"Maximum Latency: 500.000 usecs at timestamp: 0.001500\n"
		"Minimum Latency: 10.500 usecs at timestamp: 0.001012\n"
		"\n"
		"RT task timings:\n"
		"\n"
		"Average wakeup latency: 10.500 usecs\n"
		"Maximum Latency: 10.500 usecs at timestamp: 0.001012\n"
		"Minimum Latency: 10.500 usecs at timestamp: 0.001012\n"
		"\n");
}

static void rounds_up_to_the_next_second(void **state)
{
	static const struct sample_event late[] = {
		{ SAMPLE_WAKEUP, 0, 1999998700, 42, 43, 120 },
		{ SAMPLE_SWITCH, 0, 1999999700, 42, 43, 120 },
		{ SAMPLE_END },
	};

	assert_non_null(strstr(sample_show(&waits, late),
			       "Maximum Latency: 1.000 usecs at timestamp: 2.000000\n"));
}

static void survives_failing_allocations(void **state)
{
	sample_survives(&waits, events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_wakeup_latency),
		cmocka_unit_test(rounds_up_to_the_next_second),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
