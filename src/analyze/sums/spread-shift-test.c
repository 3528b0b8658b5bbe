/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/spread-shift.h"
#include "base/mem.h"

static void fill(struct spread *spread, uint64_t from, uint64_t step, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (spread_add(spread, from + i * step) < 0)
			assert_true(mem_fault);
}

static struct spread_shift shift_of(uint64_t from, unsigned n, uint64_t to, unsigned m)
{
	struct spread a = { 0 }, b = { 0 };
	struct spread_shift shift;

	fill(&a, from, 1, n);
	fill(&b, to, 1, m);
	shift = spread_shift(&a, &b);
	spread_done(&a);
	spread_done(&b);
	return shift;
}

/* Small values have a bin each, so that the test is the one of the books. */
static void is_that_of_the_books(void **state)
{
	/* {0..9} and {3..12}: U is 75.5 of 100; no ties but 7 pairs, sd 13.194. */
	struct spread_shift shift = shift_of(0, 10, 3, 10);

	require_memory();
	assert_true(shift.larger > 0.7549 && shift.larger < 0.7551);
	assert_true(shift.z > 1.932 && shift.z < 1.934);
}

static void the_same_is_no_shift(void **state)
{
	struct spread_shift shift = shift_of(100, 50, 100, 50);

	require_memory();
	assert_true(shift.larger == 0.5);
	assert_true(shift.z == 0);
}

static void a_shift_has_a_direction(void **state)
{
	struct spread_shift up = shift_of(1000, 100, 5000, 100);
	struct spread_shift down = shift_of(5000, 100, 1000, 100);

	require_memory();
	assert_true(up.z > 10 && down.z < -10);
	assert_true(up.larger == 1 && down.larger == 0);
}

static void few_values_say_nothing(void **state)
{
	require_memory();
	assert_true(shift_of(1, 4, 1000, 400).z == 0);
	assert_true(shift_of(1, 0, 1000, 400).larger == 0.5);
	assert_true(shift_of(1, 5, 1000, 400).z > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_that_of_the_books),
		cmocka_unit_test(the_same_is_no_shift),
		cmocka_unit_test(a_shift_has_a_direction),
		cmocka_unit_test(few_values_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
