/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <math.h>

#include "analyze/compare/student.h"

static void is_near(double value, double wanted)
{
	if (fabs(value - wanted) > 1e-3 * wanted)
		fail_msg("%g instead of %g", value, wanted);
}

/* Values from published tables. */
static void t_equals_published_values(void **state)
{
	is_near(student_p(12.706, 1), 0.05);
	is_near(student_p(3.182, 3), 0.05);
	is_near(student_p(12.924, 3), 0.001);
	is_near(student_p(2.228, 10), 0.05);
	is_near(student_p(4.587, 10), 0.001);
	is_near(student_p(-4.587, 10), 0.001);
	is_near(student_p(1.984, 100), 0.05);
	is_near(student_p(0, 5), 1);
	is_near(student_t(0.001, 3), 12.924);
	is_near(student_t(0.05, 10), 2.228);
	is_near(student_t(1e-6, 30), 6.119);
}

static void splits_equal_coin_tosses(void **state)
{
	is_near(split_p(0, 20, 0.5, 0.5), pow(2, -19));
	is_near(split_p(20, 0, 0.5, 0.5), pow(2, -19));
	is_near(split_p(1, 9, 0.5, 0.5), 22.0 / 1024);
	is_near(split_p(10, 10, 0.5, 0.5), 1);
	is_near(split_p(0, 20, 0.4, 0.6), 2 * pow(0.6, 20));
	is_near(split_p(20, 0, 0.4, 0.6), 2 * pow(0.6, 20));
	is_near(split_p(9, 11, 0.4, 0.6), 1);
	assert_true(split_p(1e9, 1.001e9, 0.5, 0.5) < 1e-6);
	assert_true(split_p(0, 0, 0.5, 0.5) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_equals_published_values),
		cmocka_unit_test(splits_equal_coin_tosses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
