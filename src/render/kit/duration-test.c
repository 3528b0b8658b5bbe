/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "render/kit/duration.h"

static void shows_three_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1, "1 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 1234, "1.23 us" },
		{ 1235, "1.24 us" },
		{ 9994, "9.99 us" },
		{ 9995, "10.0 us" },
		{ 12345, "12.3 us" },
		{ 99949, "99.9 us" },
		{ 99950, "100 us" },
		{ 123456, "123 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 1500000000, "1.50 s" },
		{ 999999999999, "1000 s" },
		{ 12345678901234, "12346 s" },
		{ UINT64_MAX, "18446744074 s" },
	};
	char buf[DURATION_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(duration_text(cases[i].ns, buf), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
