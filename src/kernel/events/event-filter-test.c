/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "kernel/events/event-filter.h"

static struct event_layout layout;
static struct fathom_err err;

static int make(void **state)
{
	static const char text[] =
		"name: sched_switch\nID: 316\nformat:\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] path;\toffset:28;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"x\"\n";

	return event_layout_parse(text, &layout);
}

static int clean(void **state)
{
	event_layout_done(&layout);
	return 0;
}

static int check(const char *filter)
{
	fathom_err_reset(&err);
	return event_filter_check(filter, &layout, &err);
}

static void accepts_valid_filters(void **state)
{
	static const char *const good[] = {
		"prev_pid == 7",
		"prev_pid==7&&prev_comm~\"a*\"",
		"!(prev_pid > 1 && (prev_pid & 4)) || common_pid != 0",
		"prev_comm == 'a && b) || (c'",
		"path.ustring ~ \"/tmp/*\"",
		"COMM == sh || cpu & CPUS{1-3}",
		" prev_pid <= 0x10 ",
		"0",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (check(good[i]) < 0)
			fail_msg("%s", err.message);
}

static void rejects_invalid_filters(void **state)
{
	static const struct {
		const char *filter, *message;
	} bad[] = {
		{ "pid == 7", "filter 'pid == 7': the event has no field 'pid'" },
		{ "prev_comm == a && x > 1", "the event has no field 'x'" },
		{ "prev_pi == 7", "no field 'prev_pi'" },
		{ "prev_pid", "expected a comparison at ''" },
		{ "prev_pid 7", "expected a comparison at '7'" },
		{ "", "expected a field at ''" },
		{ "prev_pid == 7 &&", "expected a field at ''" },
		{ "prev_pid == 7 && (prev_pid > 1", "unbalanced parentheses" },
		{ "prev_pid == 7)", "unbalanced parentheses" },
		{ "prev_comm == \"a", "unterminated quotation mark" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(check(bad[i].filter), -EINVAL);
		if (!strstr(err.message, bad[i].message))
			fail_msg("%s, not %s", err.message, bad[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_valid_filters),
		cmocka_unit_test(rejects_invalid_filters),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
