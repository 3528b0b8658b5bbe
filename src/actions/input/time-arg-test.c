/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "actions/input/time-arg.h"

static uint64_t parse(const char *text, bool ticks, bool expect_relative)
{
	uint64_t time = 0;
	bool relative = !expect_relative;

	assert_int_equal(time_arg_parse(text, ticks, &time, &relative, NULL), 0);
	assert_true(relative == expect_relative);
	return time;
}

static void parses_times(void **state)
{
	assert_int_equal(parse("176.925209", false, false), 176925209000);
	assert_int_equal(parse("2", false, false), 2000000000);
	assert_int_equal(parse("1.5ms", false, false), 1500000);
	assert_int_equal(parse("+20us", false, true), 20000);
	assert_int_equal(parse("5ns", false, false), 5);
	assert_int_equal(parse(".25s", false, false), 250000000);
	assert_int_equal(parse("0.1234567891", false, false), 123456789);
}

static void accepts_plain_numbers_for_other_clocks(void **state)
{
	assert_int_equal(parse("12345", true, false), 12345);
	assert_int_equal(parse("1us", true, false), 1000);
}

static void rejects_invalid_times(void **state)
{
	static const char *const texts[] = {
		"", "+", "x", "1x", "-1", "1 s", "ms", "99999999999999"
	};
	struct fathom_err err = { 0 };
	uint64_t time;
	bool relative;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(time_arg_parse(texts[i], false, &time, &relative, &err), -EINVAL);
	assert_non_null(strstr(err.message, "invalid time"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_times),
		cmocka_unit_test(accepts_plain_numbers_for_other_clocks),
		cmocka_unit_test(rejects_invalid_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
