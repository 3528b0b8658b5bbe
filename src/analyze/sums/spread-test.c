/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/sums/spread.h"
#include "base/cleanup.h"

static void bins_are_contiguous(void **state)
{
	for (unsigned bin = 0; bin < SPREAD_BINS; bin++) {
		uint64_t start = spread_bin_start(bin), end = spread_bin_end(bin);

		assert_int_equal(spread_bin(start), bin);
		assert_int_equal(spread_bin(end - 1), bin);
		assert_true(end == 0 || end > start);
		/* Half the width of a bin is at most 1/16 of its values. */
		assert_true((end - start) / 2 <= start / 16 || start < 16);
	}
	assert_int_equal(spread_bin(UINT64_MAX), SPREAD_BINS - 1);
}

static void computes_quantiles(void **state)
{
	struct spread spread = { 0 };
	int r = 0;

	assert_int_equal(spread_quantile(&spread, 500), 0);
	for (uint64_t i = 1; i <= 10000 && r == 0; i++)
		r = spread_add(&spread, i);
	if (succeeds(r == 0)) {
		static const unsigned parts[] = { 10, 250, 500, 900, 990, 1000 };

		assert_int_equal(spread_total(&spread), 10000);
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
			int64_t exact = 10 * (int64_t)parts[i];
			int64_t got = (int64_t)spread_quantile(&spread, parts[i]);

			assert_true(llabs(got - exact) * 100 <= exact * 7);
		}
	}
	spread_done(&spread);
}

static void merges(void **state)
{
	static const uint64_t values[] = { 0, 3, 5, 70000, 70001, 123456789012, UINT64_MAX };
	struct spread whole = { 0 }, low = { 0 }, high = { 0 };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(values) && r == 0; i++) {
		r = spread_add(&whole, values[i]);
		if (r == 0)
			r = spread_add(i % 2 ? &low : &high, values[i]);
	}
	if (r == 0)
		r = spread_merge(&low, &high);
	if (succeeds(r == 0)) {
		assert_int_equal(low.n, whole.n);
		assert_int_equal(low.low, whole.low);
		assert_memory_equal(low.counts, whole.counts, whole.n * sizeof(*whole.counts));
	}
	spread_done(&whole);
	spread_done(&low);
	spread_done(&high);
}

static void adds_many_at_once(void **state)
{
	struct spread one = { 0 }, many = { 0 };
	int r = spread_add_n(&many, 20, 3);

	if (r == 0)
		r = spread_add_n(&many, 10, 1);
	for (size_t i = 0; i < 4 && r == 0; i++)
		r = spread_add(&one, spread_bin_start(i < 3 ? 20 : 10));
	if (succeeds(r == 0)) {
		assert_int_equal(many.low, 10);
		assert_int_equal(many.n, one.n);
		assert_memory_equal(many.counts, one.counts, one.n * sizeof(*one.counts));
		assert_int_equal(spread_add_n(&many, 10, UINT32_MAX - 2), 0);
		assert_int_equal(many.counts[0], UINT32_MAX - 1);
		assert_int_equal(spread_add_n(&many, 10, 2), 0);
		assert_int_equal(many.counts[0], UINT32_MAX);
		assert_int_equal(spread_add_n(&many, 20, UINT64_MAX), 0);
		assert_int_equal(many.counts[10], UINT32_MAX);
		assert_int_equal(spread_add_n(&many, 20, 1), 0);
		assert_int_equal(many.counts[10], UINT32_MAX);
	}
	spread_done(&one);
	spread_done(&many);
}

static int fill(void *arg)
{
	struct spread spread = { 0 };
	int r = spread_add(&spread, 5);

	if (r == 0)
		r = spread_add(&spread, 500000);
	spread_done(&spread);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(fill, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_are_contiguous),
		cmocka_unit_test(computes_quantiles),
		cmocka_unit_test(merges),
		cmocka_unit_test(adds_many_at_once),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
