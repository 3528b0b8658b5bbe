/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <math.h>

#include "analyze/tasks/time-blocks.h"
#include "base/mem.h"

/* Adds @n values of about @middle, in runs of @run similar ones. */
static int fill(struct time_blocks *blocks, uint64_t from, uint64_t step, unsigned n, unsigned run)
{
	static const uint64_t values[] = { 1000, 1100, 900, 1500, 1000, 800, 950, 1050 };
	int r = 0;

	for (unsigned i = 0; i < n && r == 0; i++)
		r = time_blocks_add(blocks, from + i * step, values[i / run % 8]);
	return r;
}

static struct time_average average_of(const struct time_blocks *blocks)
{
	struct time_range run = { 0 };

	time_range_add(&run, blocks);
	return time_blocks_average(blocks, &run);
}

static void computes_the_average(void **state)
{
	struct time_blocks blocks = { 0 };
	struct time_average average;

	if (fill(&blocks, 5000, 1000000, 800, 1) < 0) {
		assert_true(mem_fault);
	} else {
		average = average_of(&blocks);
		assert_int_equal(average.count, 800);
		assert_true(fabs(average.mean - 6.924) < 0.01);
		assert_true(sqrt(average.variance) < 0.008 && sqrt(average.variance) > 0.004);
		assert_in_range(average.windows, 17, 32);
		assert_true(average.swing >= 0 && average.swing < 0.001);
	}
	time_blocks_done(&blocks);
}

/* The same values with similar neighbors, which are much less significant. */
static void correlated_neighbors_are_less_significant(void **state)
{
	struct time_blocks apart = { 0 }, together = { 0 };

	if (fill(&apart, 0, 1000000, 800, 1) < 0 || fill(&together, 0, 1000000, 800, 100) < 0) {
		assert_true(mem_fault);
	} else {
		assert_true(average_of(&together).variance > 16 * average_of(&apart).variance);
		assert_true(average_of(&together).swing > 0.02);
	}
	time_blocks_done(&apart);
	time_blocks_done(&together);
}

/* Order and division into parts do not matter, except for the width of windows. */
static void parts_can_be_merged(void **state)
{
	struct time_blocks whole = { 0 }, first = { 0 }, second = { 0 };
	int r = fill(&whole, 1 << 20, 100000, 640, 7);

	if (r == 0)
		r = fill(&second, (1 << 20) + 64000000, 100000, 0, 7);
	if (r == 0)
		r = fill(&first, 1 << 20, 100000, 336, 7);
	for (unsigned i = 336; i < 640 && r == 0; i++) {
		static const uint64_t values[] = { 1000, 1100, 900, 1500, 1000, 800, 950, 1050 };

		r = time_blocks_add(&second, (1 << 20) + (uint64_t)i * 100000, values[i / 7 % 8]);
	}
	if (r == 0)
		r = time_blocks_merge(&second, &first);
	if (r < 0) {
		assert_true(mem_fault);
	} else {
		assert_int_equal(second.shift, whole.shift);
		assert_int_equal(second.first, whole.first);
		assert_int_equal(second.n, whole.n);
		for (size_t i = 0; i < whole.n; i++)
			assert_int_equal(second.list[i].count, whole.list[i].count);
		assert_true(fabs(average_of(&second).variance - average_of(&whole).variance) <
			    1e-9);
	}
	time_blocks_done(&whole);
	time_blocks_done(&first);
	time_blocks_done(&second);
}

/*
 * Eight groups, and one remaining call, which belongs to the last: sums of 2, -10, 10, … 10, and
 * -10 + 8.
 */
static void a_remainder_is_not_a_group(void **state)
{
	struct time_block list[9] = { { .count = 10, .sum = 2 } };
	struct time_blocks blocks = { .list = list, .n = 9, .shift = 10 };

	for (size_t i = 1; i < 8; i++)
		list[i] = (struct time_block){ .count = 10, .sum = i % 2 ? -10 : 10 };
	list[8] = (struct time_block){ .count = 1, .sum = 8 };
	assert_true(fabs(average_of(&blocks).mean) < 1e-9);
	assert_true(fabs(average_of(&blocks).variance - 608. * 8 / 7 / 81 / 81) < 1e-9);
}

/* A file can contain any time. */
static void accepts_any_time(void **state)
{
	static const uint64_t times[] = { UINT64_MAX, 0, 1, UINT64_MAX - 1, 1ULL << 63, 77 };
	struct time_blocks blocks = { 0 }, other = { 0 };
	int r = 0;

	for (size_t i = 0; i < 6 && r == 0; i++)
		r = time_blocks_add(&blocks, times[i], times[5 - i]);
	if (r == 0)
		r = time_blocks_add(&other, 5, 0);
	if (r == 0)
		r = time_blocks_merge(&other, &blocks);
	if (r < 0) {
		assert_true(mem_fault);
	} else {
		assert_int_equal(average_of(&other).count, 7);
		assert_true(other.n <= 32);
		assert_true(isfinite(average_of(&other).mean));
		assert_true(average_of(&other).variance >= 0);
	}
	time_blocks_done(&blocks);
	time_blocks_done(&other);
}

static void one_call_has_no_variance(void **state)
{
	struct time_blocks blocks = { 0 };

	assert_int_equal(average_of(&blocks).count, 0);
	if (time_blocks_add(&blocks, 7, 1000) < 0) {
		assert_true(mem_fault);
	} else {
		assert_int_equal(average_of(&blocks).count, 1);
		assert_true(average_of(&blocks).variance == 0);
		assert_true(average_of(&blocks).swing < 0);
	}
	time_blocks_done(&blocks);
}

static int fill_all(void *arg)
{
	struct time_blocks blocks = { 0 }, other = { 0 };
	int r = fill(&blocks, 0, 1000, 100, 1);

	if (r == 0)
		r = fill(&other, 1 << 20, 1000, 100, 1);
	if (r == 0)
		r = time_blocks_merge(&blocks, &other);
	time_blocks_done(&blocks);
	time_blocks_done(&other);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(fill_all, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_the_average),
		cmocka_unit_test(correlated_neighbors_are_less_significant),
		cmocka_unit_test(parts_can_be_merged),
		cmocka_unit_test(a_remainder_is_not_a_group),
		cmocka_unit_test(accepts_any_time),
		cmocka_unit_test(one_call_has_no_variance),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
