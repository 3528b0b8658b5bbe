/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "format/time-convert.h"

static void plain_times(void **state)
{
	struct time_convert c = { 0 };

	assert_true(time_convert(&c, 0, 123) == 123);
	c.offset = -23;
	assert_true(time_convert(&c, 7, 123) == 100);
}

static void tsc_to_nanoseconds(void **state)
{
	struct time_convert c = { .mult = 1 << 20, .tsc_shift = 21, .offset = 5 };

	assert_true(time_convert(&c, 0, 1000) == 505);
	/* The product exceeds 64 bits. */
	assert_true(time_convert(&c, 0, 1ULL << 60) == (1ULL << 59) + 5);
	c.tsc_shift = 4000000000U;
	assert_true(time_convert(&c, 0, 1000) == 5);
}

static void guest_to_host(void **state)
{
	struct time_sample samples[] = {
		{ .time = 3000, .offset = 300, .scaling = 1 },
		{ .time = 1000, .offset = 100, .scaling = 1 },
		{ .time = 1000, .offset = 999, .scaling = 1 },
		{ .time = 2000, .offset = -200, .scaling = 2, .fraction = 1 },
	};
	struct time_shift_cpu cpu = { samples, 4 };
	struct time_shift shift = { .n_cpus = 1, .cpus = &cpu };
	struct time_convert c = { .shift = &shift };

	time_shift_sort(&cpu);
	assert_int_equal(cpu.count, 3);
	/*
	 * It is unspecified which of two samples of the same time is kept; both are of time 1000.
	 */
	samples[0].offset = 100;
	assert_true(time_convert(&c, 0, 500) == 600);
	assert_true(time_convert(&c, 0, 1500) == 1600);
	assert_true(time_convert(&c, 0, 2500) == 2300);
	assert_true(time_convert(&c, 0, 9000) == 8800);
	assert_true(time_convert(&c, 5, 9000) == 9000);
	shift.flags = TIME_SHIFT_INTERPOLATE;
	/* trace-cmd rounds half up, then towards zero. */
	assert_true(time_convert(&c, 0, 1500) == 1500 + 100 - 149);
	assert_true(time_convert(&c, 0, 2500) == 2500 - 200 + 250);
	cpu.count = 1;
	assert_true(time_convert(&c, 0, 9000) == 9100);
	cpu.count = 0;
	assert_true(time_convert(&c, 0, 9000) == 9000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_times),
		cmocka_unit_test(tsc_to_nanoseconds),
		cmocka_unit_test(guest_to_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
