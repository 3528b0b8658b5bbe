/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "trace-sample.h"

static const struct sample_event events[] = {
	{ SAMPLE_WAKEUP, 0, 1000000, 42, 43, 120 },
	{ SAMPLE_MESSAGE, 1, 1001500, 43 },
	{ SAMPLE_LOST, 0, .a = 12 },
	{ SAMPLE_PROBE, 0, 2000000000, 7, SAMPLE_FIRST, 5 },
	{ SAMPLE_UNKNOWN, 1, 2000001000, 42 },
	{ SAMPLE_LOST, 1, .a = UINT64_MAX },
	{ SAMPLE_ENTRY, 1, 2000002000, 42, SAMPLE_FIRST, 0 },
	{ SAMPLE_EXIT, 1, 2000003000, 42, SAMPLE_FIRST, 0, 1500 },
	{ SAMPLE_END },
};

static void writes_a_line_per_event(void **state)
{
	const struct sample_view view = { .writer = report_write_text, .options = { 0 } };

	assert_string_equal(
		sample_show(&view, events),
		"            task-42    [000] .....     0.001000: sched_wakeup:         43 [120]\n"
		"    another-task-43    [001] .....     0.001002: print:                first: a: note\n"
		"CPU:0 [12 EVENTS DROPPED]\n"
		"           <...>-7     [000] .....     2.000000: lab:                  (ffffffff81000000) arg=5\n"
		"            task-42    [001] .....     2.000001: [UNKNOWN EVENT]:      id=999 size=24\n"
		"CPU:1 [EVENTS DROPPED]\n"
		"            task-42    [001] .....     2.000002: funcgraph_entry:        1.500 us   |  first();\n");
}

static void writes_text_of_older_versions(void **state)
{
	const struct sample_view view = { .writer = report_write_text,
					  .options = { .compat_31 = true, .plain = true } };

	assert_string_equal(
		sample_show(&view, events),
		"            task-42    [000]     0.001000: sched_wakeup:         pid=43 prio=120\n"
		"    another-task-43    [001]     0.001002: print:                first: a: note\n"
		"CPU:0 [12 EVENTS DROPPED]\n"
		"           <...>-7     [000]     2.000000: lab:                  (ffffffff81000000) arg=5\n"
		"            task-42    [001]     2.000001: [UNKNOWN EVENT]:      id=999 size=24\n"
		"CPU:1 [EVENTS DROPPED]\n"
		"            task-42    [001]     2.000002: funcgraph_entry:      --> first (0)\n"
		"            task-42    [001]     2.000003: funcgraph_exit:       <-- first (0)\n");
}

static void writes_fields(void **state)
{
	const struct sample_view view = { .writer = report_write_text,
					  .options = { .raw = true, .nanoseconds = true } };

	assert_string_equal(
		sample_show(&view, events),
		"            task-42    [000]-0x0     0.001000000: sched_wakeup:          pid=43 prio=120\n"
		"    another-task-43    [001]-0x0     0.001001500: print:                 ip=first (0xffffffff81000000) buf=a: note\n"
		"CPU:0 [12 EVENTS DROPPED]\n"
		"           <...>-7     [000]-0x0     2.000000000: lab:                   __probe_ip=ffffffff81000000 arg=5\n"
		"            task-42    [001]-0x0     2.000001000: [UNKNOWN EVENT]:      id=999 size=24\n"
		"CPU:1 [EVENTS DROPPED]\n"
		"            task-42    [001]-0x0     2.000002000: funcgraph_entry:       func=first (0xffffffff81000000) depth=0\n"
		"            task-42    [001]-0x0     2.000003000: funcgraph_exit:        func=first (0xffffffff81000000) depth=0 calltime=0x77359fb8 rettime=0x7735a594\n");
}

static void writes_time_since_the_line_before(void **state)
{
	const struct sample_view view = { .writer = report_write_text,
					  .options = { .plain = true, .time = REPORT_TIME_DELTA } };

	assert_string_equal(
		sample_show(&view, events),
		"            task-42    [000] .....     0.000000: sched_wakeup:         pid=43 prio=120\n"
		"    another-task-43    [001] .....     0.000002: print:                first: a: note\n"
		"CPU:0 [12 EVENTS DROPPED]\n"
		"           <...>-7     [000] .....     1.998999: lab:                  (ffffffff81000000) arg=5\n"
		"            task-42    [001] .....     0.000001: [UNKNOWN EVENT]:      id=999 size=24\n"
		"CPU:1 [EVENTS DROPPED]\n"
		"            task-42    [001] .....     0.000001: funcgraph_entry:      --> first (0)\n"
		"            task-42    [001] .....     0.000001: funcgraph_exit:       <-- first (0)\n");
}

static void survives_failing_allocations(void **state)
{
	static const struct sample_event few[] = {
		{ SAMPLE_PROBE, 0, 1000, 42, SAMPLE_FIRST, 5 },
		{ SAMPLE_MESSAGE, 0, 2000, 43 },
		{ SAMPLE_END },
	};
	const struct sample_view view = { .writer = report_write_text };

	sample_survives(&view, few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_a_line_per_event),
		cmocka_unit_test(writes_text_of_older_versions),
		cmocka_unit_test(writes_fields),
		cmocka_unit_test(writes_time_since_the_line_before),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
