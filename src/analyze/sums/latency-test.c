/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/calls/func-times.h"
#include "analyze/sums/latency.h"

static int add_all(struct linear_spread *spread, const uint64_t *values, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = linear_spread_add(spread, values[i]);
	return r;
}

#define ADD(spread, ...)                                   \
	add_all(spread, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Counts the values in a range, one by one. */
static uint64_t count(const uint64_t *values, size_t n, uint64_t from, uint64_t to)
{
	uint64_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += values[i] >= from && values[i] < to;
	return found;
}

static void rows_have_equal_widths(void **state)
{
	struct linear_row rows[LINEAR_ROWS + 1];
	struct linear_spread spread = { 0 };

	assert_int_equal(linear_spread_rows(&spread, 100, rows), 0);
	if (succeeds(ADD(&spread, 0, 9, 10, 19, 100, 5000) == 0)) {
		/*
		 * 0 to 100 takes 11 rows of width 10; with width 5, there would be too many rows.
		 */
		assert_int_equal(linear_spread_rows(&spread, 100, rows), 12);
		assert_int_equal(rows[0].from, 0);
		assert_int_equal(rows[0].to, 10);
		assert_int_equal(rows[0].count, 2);
		assert_int_equal(rows[1].count, 2);
		assert_int_equal(rows[2].count, 0);
		assert_int_equal(rows[10].from, 100);
		assert_int_equal(rows[10].count, 1);
		assert_int_equal(rows[11].from, 110);
		assert_int_equal(rows[11].to, 5001);
		assert_int_equal(rows[11].count, 1);
	}
	linear_spread_done(&spread);
}

static void accepts_any_value(void **state)
{
	struct linear_row rows[LINEAR_ROWS + 1];
	struct linear_spread spread = { 0 };
	uint64_t sum = 0;
	size_t n;

	if (succeeds(ADD(&spread, 7, UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63) == 0)) {
		n = linear_spread_rows(&spread, UINT64_MAX, rows);
		assert_in_range(n, 1, LINEAR_ROWS + 1);
		for (size_t i = 0; i < n; i++)
			sum += rows[i].count;
		assert_int_equal(sum, 4);
	}
	linear_spread_done(&spread);
}

/* For any values and any top, rows are of equal width, few, and counted exactly. */
static void counts_exactly(void **state)
{
	uint64_t values[200];
	uint32_t random = 1;

	for (unsigned round = 0; round < 300; round++) {
		struct linear_row rows[LINEAR_ROWS + 1];
		struct linear_spread spread = { 0 };
		uint64_t top;
		size_t n;

		for (size_t i = 0; i < 200; i++) {
			random = random * 1664525 + 1013904223;
			values[i] = (uint64_t)random * random >> (round + i % (1 + round % 7)) % 60;
			if (round % 3 == 0)
				values[i] = 1000000007 + values[i] % (1U << round % 20);
		}
		top = values[random % 200];
		require(add_all(&spread, values, 200) >= 0);
		n = linear_spread_rows(&spread, top, rows);
		assert_in_range(n, 1, LINEAR_ROWS + 1);
		assert_true(rows[0].from <= spread.min);
		assert_true(rows[n - 1].to > spread.max);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(rows[i].count,
					 count(values, 200, rows[i].from, rows[i].to));
			if (i)
				assert_int_equal(rows[i].from, rows[i - 1].to);
			if (i && i + 1 < n)
				assert_int_equal(rows[i].to - rows[i].from,
						 rows[0].to - rows[0].from);
		}
		linear_spread_done(&spread);
	}
}

static void keeps_the_slowest(void **state)
{
	static const uint64_t durations[] = { 5, 9, 1, 9, 7, 8, 2, 6 };
	static const uint64_t starts[] = { 2, 4, 6, 5, 8 }; /* 9, 9, 8, 7, 6 */
	struct latency latency = { .is_linear = true };
	int r = 0;

	for (size_t i = 0; i < 8; i++) {
		const struct instance one = { .start = i + 1,
					      .duration = durations[i],
					      .pid = (int32_t)i };

		r = r ?: latency_add(&latency, &one);
	}
	if (succeeds(r == 0)) {
		assert_int_equal(latency.count, 8);
		assert_int_equal(latency.total, 47);
		assert_int_equal(latency.min, 1);
		assert_int_equal(latency.max, 9);
		assert_int_equal(latency.first, 1);
		assert_int_equal(latency.last, 8);
		assert_int_equal(latency.slowest.n, SLOWEST_MAX);
		for (size_t i = 0; i < SLOWEST_MAX; i++)
			assert_int_equal(latency.slowest.list[i].start, starts[i]);
		assert_int_equal(latency.linear.n, 8);
	}
	latency_done(&latency);
}

static int add_times(struct func_times *times)
{
	struct func list[] = { { .address = 1, .name = "a" }, { .address = 2 }, { .name = "b" } };
	const struct func_table funcs = { .list = list, .n = 3 };

	func_times_add(times, &funcs, 2, &(struct instance){ .start = 50, .duration = 10 });
	func_times_add(times, &funcs, 2, &(struct instance){ .start = 40, .duration = 30 });
	func_times_add(times, &funcs, 1, &(struct instance){ .start = 60, .duration = 70 });
	return times->nomem ? -ENOMEM : 0;
}

static void distinguishes_functions(void **state)
{
	struct func_times times = { .focus = "b" };

	if (succeeds(add_times(&times) == 0)) {
		assert_int_equal(times.n, 3);
		assert_false(times.list[0].seen);
		assert_int_equal(times.list[2].first, 40);
		assert_int_equal(times.list[2].last, 50);
		assert_int_equal(times.list[2].slowest.start, 40);
		assert_int_equal(times.list[1].first, 60);
		assert_int_equal(times.latency.count, 2);
		assert_int_equal(times.latency.total, 40);
	}
	func_times_done(&times);
}

static int add_some(void *arg)
{
	struct func_times times = { .focus = "b", .latency.is_linear = true };
	int r = add_times(&times);

	func_times_done(&times);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(add_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_equal_widths),
		cmocka_unit_test(accepts_any_value),
		cmocka_unit_test(counts_exactly),
		cmocka_unit_test(keeps_the_slowest),
		cmocka_unit_test(distinguishes_functions),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
