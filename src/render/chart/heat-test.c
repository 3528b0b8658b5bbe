/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/chart/heat.h"

static struct heat heat;

static void check(bool utf8, const char *expected)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const struct out out = { .width = 12 + 32, .utf8 = utf8 };

	heat_put(&buf, &heat, false, &out);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf), expected);
}

static void add(uint64_t time, uint64_t duration, unsigned times)
{
	for (; times; times--)
		heat_add(&heat, time, duration);
}

static void draws(void **state)
{
	memset(&heat, 0, sizeof(heat));
	check(true, "");
	add(5000000000, 1024, 1);
	add(5000001000, 2047, 2);
	add(5000003999, 1500, 3);
	add(5000019000, 1024, 4);
	add(5000002000, 5000, 1);
	/* Precedes all others. */
	add(4999999999, 5000, 1);
	check(false, "   1.02 us |.: *               #\n"
		     "   2.05 us |\n"
		     "   4.10 us |. .\n"
		     "           +--------------------\n"
		     "            5.000000    5.000020\n"
		     "            column: 1.00 us, highest count: 4\n");
	check(true, "   1.02 us |░▒ ▓               █\n"
		    "   2.05 us |\n"
		    "   4.10 us |░ ░\n"
		    "           +--------------------\n"
		    "            5.000000    5.000020\n"
		    "            column: 1.00 us, highest count: 4\n");
}

/* A map has as many columns as its time range requires; drawing folds them to the width. */
static void folds(void **state)
{
	uint64_t sum = 0;

	memset(&heat, 0, sizeof(heat));
	for (uint64_t i = 0; i < 300; i++)
		add(i * 1000, i, 1);
	assert_int_equal(heat.width, 2000);
	assert_int_equal(heat.columns, 150);
	assert_int_equal(heat.counts[heat_row(0)][0], 1);
	assert_int_equal(heat.counts[heat_row(299)][149], 2);
	for (unsigned row = 0; row < HEAT_ROWS; row++)
		for (size_t i = 0; i < HEAT_COLUMNS; i++)
			sum += heat.counts[row][i];
	assert_int_equal(sum, 300);
	check(false, "         0 |.\n"
		     "      1 ns |.\n"
		     "      2 ns |.\n"
		     "      4 ns |.\n"
		     "      8 ns |:\n"
		     "     16 ns | #\n"
		     "     32 ns |  ##\n"
		     "     64 ns |    ####\n"
		     "    128 ns |        ########\n"
		     "    256 ns |                ##*\n"
		     "           +-------------------\n"
		     "            0.000000   0.000304\n"
		     "            column: 16.0 us, highest count: 16\n");
}

static void accepts_any_value(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	memset(&heat, 0, sizeof(heat));
	add(0, UINT64_MAX, 1);
	add(UINT64_MAX, 0, 2);
	assert_int_equal(heat.counts[64][0], 1);
	assert_int_equal(heat.counts[0][heat.columns - 1], 2);
	json_init(&json, &buf, false);
	heat_json(&heat, &json, NULL);
	if (succeeds(!buf.err))
		assert_non_null(strstr(strbuf_str(&buf), "\"to_ns\":18446744073709551615"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws),
		cmocka_unit_test(folds),
		cmocka_unit_test(accepts_any_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
