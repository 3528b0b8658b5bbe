/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/chart/histogram.h"

static int add(struct spread *spread, uint64_t value, unsigned times)
{
	for (; times; times--)
		if (spread_add(spread, value) < 0)
			return -ENOMEM;
	return 0;
}

static void check(const struct spread *spread, enum histogram_unit unit, bool utf8,
		  const char *expected)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct out out = { .width = 45, .utf8 = utf8 };

	histogram_put(&buf, spread, unit, 1, &out);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf), expected);
}

static void has_a_row_per_doubling(void **state)
{
	struct spread spread = { 0 };

	/* 1023 and 1024 are in different rows; the empty rows between others are shown. */
	if (succeeds(add(&spread, 1023, 3) == 0 && add(&spread, 1024, 10) == 0 &&
		     add(&spread, 2047, 10) == 0 && add(&spread, 4096, 1) == 0)) {
		check(&spread, HISTOGRAM_NS, false,
		      "    512 ns ..  1.02 us         3  #\n"
		      "   1.02 us ..  2.05 us        20  ###########\n"
		      "   2.05 us ..  4.10 us         0\n"
		      "   4.10 us ..  8.19 us         1  #\n");
		check(&spread, HISTOGRAM_PLAIN, true,
		      "       512 ..     1024         3  █▋\n"
		      "      1024 ..     2048        20  ███████████\n"
		      "      2048 ..     4096         0\n"
		      "      4096 ..     8192         1  ▌\n");
	}
	spread_done(&spread);
}

static void shows_the_smallest_and_the_largest(void **state)
{
	struct spread spread = { 0 };

	check(&spread, HISTOGRAM_NS, false, "");
	if (succeeds(add(&spread, 0, 2) == 0))
		check(&spread, HISTOGRAM_NS, false,
		      "         0 ..     1 ns         2  ###########\n");
	spread_done(&spread);
	if (succeeds(add(&spread, UINT64_MAX, 1) == 0))
		check(&spread, HISTOGRAM_NS, false,
		      " 9223372037 s ..                  1  ###########\n");
	spread_done(&spread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_row_per_doubling),
		cmocka_unit_test(shows_the_smallest_and_the_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
