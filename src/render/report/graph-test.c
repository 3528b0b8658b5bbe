/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/report/graph.h"
#include "trace-sample.h"

static int end(void *data, struct report_input *input, struct text *text)
{
	return graph_write_end(data, input, text);
}

static void done(void *data)
{
	graph_done(data);
}

static const struct sample_view tree = { .writer = graph_write,
					 .data_size = sizeof(struct graph),
					 .end = end,
					 .done = done };

static const char *show(const struct sample_event *events)
{
	return sample_show(&tree, events);
}

static void shows_calls_as_a_tree(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_ENTRY, 0, 1000, 42, SAMPLE_FIRST, 0 },
		{ SAMPLE_ENTRY, 0, 2000, 42, SAMPLE_SECOND, 1 },
		{ SAMPLE_EXIT, 0, 3000, 42, SAMPLE_SECOND, 1, 1234 },
		{ SAMPLE_MESSAGE, 0, 4000, 42 },
		{ SAMPLE_EXIT, 0, 5000, 42, SAMPLE_FIRST, 0, 10001 },
		{ SAMPLE_END },
	};

	assert_string_equal(show(events), " 0)               |  first() {\n"
					  " 0)   1.234 us    |    second [module]();\n"
					  " 0)               |  /* a: note */\n"
					  " 0) + 10.001 us   |  }\n");
}

/*
 * User functions begin and end outside the kernel, and contain the kernel functions called on their
 * behalf.
 */
static void shows_user_functions(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_ENTRY, 0, 1000, 42, SAMPLE_FIRST, 0 },
		{ SAMPLE_USER_ENTER, 0, 2000, 42, 0, 0x7000 },
		{ SAMPLE_EXIT, 0, 3000, 42, SAMPLE_FIRST, 0, 1000 },
		{ SAMPLE_USER_ENTER, 0, 3500, 42, 1, 0x6ff0 },
		{ SAMPLE_USER_LEAVE, 0, 4500, 42, 1 },
		{ SAMPLE_ENTRY, 0, 5000, 42, SAMPLE_SECOND, 0 },
		{ SAMPLE_EXIT, 0, 6000, 42, SAMPLE_SECOND, 0, 1234 },
		{ SAMPLE_MESSAGE, 0, 7000, 42 },
		{ SAMPLE_USER_LEAVE, 0, 8000, 42, 0 },
		/* Its start was not recorded. */
		{ SAMPLE_USER_LEAVE, 0, 9000, 42, 1 },
		{ SAMPLE_END },
	};

	assert_string_equal(show(events), " 0)   1.000 us    |  first();\n"
					  " 0)               |  main [app]() {\n"
					  " 0)   1.000 us    |    work [app]();\n"
					  " 0)   1.234 us    |    second [module]();\n"
					  " 0)               |  /* a: note */\n"
					  " 0)   5.000 us    |  }\n"
					  " 0)               |  } /* work [app] */\n");
}

/* Results from the recording's own probes, which precede or follow the end of the call. */
static void shows_results(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_ENTRY, 0, 1000, 42, SAMPLE_FIRST, 0 },
		{ SAMPLE_ENTRY, 0, 2000, 42, SAMPLE_SECOND, 1 },
		{ SAMPLE_RESULT, 0, 2900, 42, SAMPLE_SECOND, (uint64_t)-2 },
		{ SAMPLE_EXIT, 0, 3000, 42, SAMPLE_SECOND, 1, 1234 },
		{ SAMPLE_EXIT, 0, 5000, 42, SAMPLE_FIRST, 0, 1000 },
		{ SAMPLE_RESULT, 0, 5100, 42, SAMPLE_FIRST, 7 },
		{ SAMPLE_END },
	};
	static const struct sample_view hex = { .options.retval = REPORT_RETVAL_HEX,
						.options.tail_name = true,
						.writer = graph_write,
						.data_size = sizeof(struct graph),
						.end = end,
						.done = done };
	static const struct sample_view none = { .options.retval = REPORT_RETVAL_SKIP,
						 .writer = graph_write,
						 .data_size = sizeof(struct graph),
						 .end = end,
						 .done = done };

	assert_string_equal(show(events),
			    " 0)               |  first() {\n"
			    " 0)   1.234 us    |    second [module](); /* = -ENOENT */\n"
			    " 0)   1.000 us    |  } /* = 7 */\n");
	assert_string_equal(sample_show(&hex, events),
			    " 0)               |  first() {\n"
			    " 0)   1.234 us    |    second [module](); /* = 0xfffffffffffffffe */\n"
			    " 0)   1.000 us    |  } /* first = 0x7 */\n");
	assert_string_equal(sample_show(&none, events),
			    " 0)               |  first() {\n"
			    " 0)   1.234 us    |    second [module]();\n"
			    " 0)   1.000 us    |  }\n");
}

/* The limits are 10 us, 100 us, 1 ms, 10 ms, 100 ms and 1 s; a call must exceed them. */
static void marks_long_calls(void **state)
{
	static const struct {
		uint64_t duration;
		const char *text;
	} cases[] = {
		{ 0, "  0.000 us    " },
		{ 10000, "  10.000 us   " },
		{ 10001, "+ 10.001 us   " },
		{ 100000, "+ 100.000 us  " },
		{ 100001, "! 100.001 us  " },
		{ 1000000, "! 1000.000 us " },
		{ 1000001, "# 1000.001 us " },
		{ 10000000, "# 10000.00 us " },
		{ 10000001, "* 10000.00 us " },
		{ 100000000, "* 100000.0 us " },
		{ 100000001, "@ 100000.0 us " },
		{ 1000000000, "@ 1000000 us  " },
		{ 1000000001, "$ 1000000 us  " },
		{ 12345678901, "$ 12345678 us " },
		{ 1234567890123, "$ 1234567890 us " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sample_event events[] = {
			{ SAMPLE_ENTRY, 1, 1000, 42, SAMPLE_FIRST, 0 },
			{ SAMPLE_EXIT, 1, 3000, 42, SAMPLE_FIRST, 0, cases[i].duration },
			{ SAMPLE_END },
		};
		char expected[128];

		snprintf(expected, sizeof(expected), " 1) %s|  first();\n", cases[i].text);
		assert_string_equal(show(events), expected);
	}
}

static void names_functions_without_an_entry(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_EXIT, 0, 1000, 42, SAMPLE_SECOND, 1, 500 },
		{ SAMPLE_ENTRY, 0, 2000, 42, SAMPLE_THIRD, 0 },
		{ SAMPLE_LOST, 0, .a = 3 },
		{ SAMPLE_EXIT, 0, 3000, 42, SAMPLE_FIRST, 0, 500 },
		{ SAMPLE_ENTRY, 0, 4000, 42, 0x1234, 0 },
		{ SAMPLE_END },
	};

	assert_string_equal(show(events), " 0)   0.500 us    |    } /* second [module] */\n"
					  " 0)               |  third() {\n"
					  "CPU:0 [LOST 3 EVENTS]\n"
					  " 0)   0.500 us    |  } /* first */\n"
					  " 0)               |  0x1234() {\n");
}

static void uses_the_first_of_several_names(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_ENTRY, 0, 1000, 42, 0xffffffff81000060, 0 },
		{ SAMPLE_END },
	};

	assert_string_equal(show(events), " 0)               |  end() {\n");
}

static void shows_context_switches_by_cpu(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_ENTRY, 0, 1000, 42, SAMPLE_FIRST, 0 },
		{ SAMPLE_ENTRY, 1, 1500, 43, SAMPLE_THIRD, 0 },
		{ SAMPLE_SWITCH, 0, 2000, 42, 43, 120 },
		{ SAMPLE_EXIT, 1, 2500, 43, SAMPLE_THIRD, 0, 900 },
		{ SAMPLE_PROBE, 0, 3000, 43, SAMPLE_FIRST + 4, 5 },
		{ SAMPLE_EXIT, 0, 4000, 43, SAMPLE_FIRST, 0, 500 },
		{ SAMPLE_END },
	};

	assert_string_equal(show(events),
			    " 0)               |  first() {\n"
			    " 1)   0.900 us    |  third();\n"
			    " 0)               |  /* sched_switch: next_pid=43 next_prio=120 */\n"
			    " ------------------------------------------\n"
			    " 0)    task-42     =>   another-43  \n"
			    " ------------------------------------------\n"
			    "\n"
			    " 0)               |  /* lab: (first+0x4/0x20) arg=5 */\n"
			    " 0)   0.500 us    |  }\n");
}

static void marks_values_that_a_probe_could_not_read(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_STRING, 0, 1000, 42, SAMPLE_FIRST, 0 },
		{ SAMPLE_STRING, 0, 2000, 42, SAMPLE_FIRST, 1 },
		{ SAMPLE_END },
	};

	assert_string_equal(show(events),
			    " 0)               |  /* named: (first+0x0/0x20) name=(fault) end */\n"
			    " 0)               |  /* named: (first+0x0/0x20) name=\"\" end */\n");
}

static void shows_stacks_on_separate_lines(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_STACK, 1, 1500000, 43, SAMPLE_FIRST + 1, 0xffffffffc0000095 },
		{ SAMPLE_UNKNOWN, 1, 1600000, 43 },
		{ SAMPLE_END },
	};

	assert_string_equal(show(events), "    another-task-43      [001] .....     0.001500: "
					  "<stack trace>\n"
					  " => first\n"
					  " => 0xffffffffc0000095\n"
					  " 1)               |  /* id=999 size=24 */\n");
}

/* Letters for disabled interrupts and bottom halves, rescheduling, and the context. */
static void shows_flags_like_the_kernel(void **state)
{
	static const struct {
		uint64_t flags;
		const char *text;
	} cases[] = {
		{ 0x00, "....." },   { 0x01, "d...." }, { 0x80, "b...." }, { 0x81, "D...." },
		{ 0x04, ".n..." },   { 0x20, ".p..." }, { 0x24, ".N..." }, { 0x02, ".l..." },
		{ 0x22, ".L..." },   { 0x06, ".b..." }, { 0x26, ".B..." }, { 0x08, "..h.." },
		{ 0x10, "..s.." },   { 0x18, "..H.." }, { 0x40, "..z.." }, { 0x48, "..Z.." },
		{ 0x2301, "d..32" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sample_event events[] = {
			{ SAMPLE_STACK, 0, 1000, 42, SAMPLE_FIRST, SAMPLE_FIRST, cases[i].flags },
			{ SAMPLE_END },
		};
		char expected[64];

		snprintf(expected, sizeof(expected), "[000] %s ", cases[i].text);
		assert_non_null(strstr(show(events), expected));
	}
}

static void survives_failing_allocations(void **state)
{
	static const struct sample_event events[] = {
		{ SAMPLE_ENTRY, 0, 1000, 42, SAMPLE_FIRST, 0 },
		{ SAMPLE_ENTRY, 1, 1500, 43, SAMPLE_THIRD, 0 },
		{ SAMPLE_MESSAGE, 0, 2000, 42 },
		{ SAMPLE_EXIT, 1, 2500, 43, SAMPLE_THIRD, 0, 900 },
		{ SAMPLE_EXIT, 0, 4000, 42, SAMPLE_FIRST, 0, 500 },
		{ SAMPLE_END },
	};

	static const struct sample_event own[] = {
		{ SAMPLE_USER_ENTER, 0, 1000, 42, 0, 0x7000 },
		{ SAMPLE_ENTRY, 0, 2000, 42, SAMPLE_SECOND, 0 },
		{ SAMPLE_EXIT, 0, 3000, 42, SAMPLE_SECOND, 0, 900 },
		{ SAMPLE_RESULT, 0, 3100, 42, SAMPLE_SECOND, 7 },
		{ SAMPLE_USER_LEAVE, 0, 4000, 42, 0 },
		{ SAMPLE_END },
	};

	sample_survives(&tree, events);
	sample_survives(&tree, own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_calls_as_a_tree),
		cmocka_unit_test(shows_user_functions),
		cmocka_unit_test(shows_results),
		cmocka_unit_test(marks_long_calls),
		cmocka_unit_test(names_functions_without_an_entry),
		cmocka_unit_test(uses_the_first_of_several_names),
		cmocka_unit_test(shows_context_switches_by_cpu),
		cmocka_unit_test(marks_values_that_a_probe_could_not_read),
		cmocka_unit_test(shows_stacks_on_separate_lines),
		cmocka_unit_test(shows_flags_like_the_kernel),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
