/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/waits/critical-path.h"
#include "base/cleanup.h"

static void add(struct critical_path *path, uint64_t start, uint64_t end, uint32_t task)
{
	critical_path_add(
		path, &(struct critical_segment){
			      .start = start, .end = end, .what.task = task, .level = task % 3 });
}

static void check_tiles(const struct critical_path *path, uint64_t start, uint64_t end, uint64_t n)
{
	uint64_t sum = 0, folded = 0;

	for (size_t i = 0; i < path->n; i++) {
		assert_int_equal(path->list[i].start, start);
		assert_true(path->list[i].longest <= path->list[i].end - start);
		start = path->list[i].end;
		folded += path->list[i].n;
	}
	assert_int_equal(start, end);
	assert_int_equal(folded, n);
	for (size_t i = 0; i < path->n_sums; i++)
		sum += path->sums[i].total;
	assert_int_equal(sum, end - path->list[0].start);
}

static void computes_sums(void **state)
{
	_cleanup_(critical_path_done) struct critical_path path = { 0 };

	add(&path, 100, 110, 1);
	/* The same cause continues. */
	add(&path, 110, 120, 1);
	add(&path, 120, 120, 5);
	add(&path, 120, 150, 2);
	add(&path, 150, 155, 1);
	require(!path.nomem);
	check_tiles(&path, 100, 155, 3);
	assert_int_equal(path.n_sums, 2);
	assert_int_equal(path.sums[0].total, 25);
	assert_int_equal(path.sums[0].count, 2);
	assert_int_equal(path.sums[1].total, 30);
	assert_int_equal(path.folded_below, 0);
}

static void folds_short_segments(void **state)
{
	_cleanup_(critical_path_done) struct critical_path path = { 0 };

	add(&path, 100, 101, 1);
	add(&path, 101, 105, 2);
	add(&path, 105, 107, 3);
	add(&path, 107, 117, 4);
	add(&path, 117, 118, 5);
	add(&path, 118, 128, 6);
	require(!path.nomem);
	critical_path_fold(&path, 1);
	assert_int_equal(path.n, 6);
	critical_path_fold(&path, 5);
	check_tiles(&path, 100, 128, 6);
	assert_int_equal(path.n, 4);
	assert_int_equal(path.list[0].end, 107);
	assert_int_equal(path.list[0].n, 3);
	assert_int_equal(path.list[0].longest, 4);
	assert_int_equal(path.list[0].what.task, 2);
	assert_int_equal(path.list[0].level, 0);
	assert_int_equal(path.list[2].n, 1);
	assert_int_equal(path.folded_below, 5);
	critical_path_fold(&path, 11);
	check_tiles(&path, 100, 128, 6);
	assert_int_equal(path.n, 1);
	assert_int_equal(path.list[0].what.task, 4);
}

/* Different causes never have the same key. */
static void causes_have_distinct_keys(void **state)
{
	static const struct critical_what kinds[] = {
		{ .task = 1 },
		{ .task = 2 },
		{ .task = 1, .kind = CRITICAL_UNKNOWN },
		{ .task = 1, .kind = CRITICAL_UNKNOWN, .reason = REASON_FORGOTTEN },
		{ .task = 1, .place = 3 },
		{ .task = 1, .other = 3 },
		{ .task = 1, .number = 3 },
		{ .task = 1, .source = SOURCE_SOFTIRQ },
		{ .task = 1, .source = SOURCE_BLOCK, .operation = 'R' },
		{ .task = 1, .source = SOURCE_BLOCK, .operation = 'W' },
		{ .task = 1, .source = SOURCE_BLOCK, .operation = 'N' },
	};
	_cleanup_(critical_path_done) struct critical_path path = { 0 };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(kinds); i++)
		critical_path_add(
			&path, &(struct critical_segment){ .start = i,
							   .end = i + 1,
							   .what = kinds[i % ARRAY_SIZE(kinds)] });
	require(!path.nomem);
	assert_int_equal(path.n_sums, ARRAY_SIZE(kinds));
	for (size_t i = 0; i < path.n_sums; i++) {
		assert_int_equal(path.sums[i].count, 2);
		assert_true(critical_what_eq(&path.sums[i].what, &kinds[i]));
	}
}

static void is_bounded(void **state)
{
	_cleanup_(critical_path_done) struct critical_path path = { 0 };
	uint64_t time = 1000, n = 5 * CRITICAL_SEGMENTS_MAX;

	/* An occasional long segment, which must survive. */
	for (uint64_t i = 0; i < n && !path.nomem; i++) {
		uint64_t end = time + (i % 10000 == 5000 ? 100000000 : 1 + i % 5000);

		add(&path, time, end, (uint32_t)(i % 7));
		assert_true(path.n <= CRITICAL_SEGMENTS_MAX);
		time = end;
	}
	require(!path.nomem);
	check_tiles(&path, 1000, time, n);
	assert_true(path.folded_below > 0 && path.folded_below < 100000);
	n = 0;
	for (size_t i = 0; i < path.n; i++)
		n += path.list[i].end - path.list[i].start == 100000000 && path.list[i].n == 1;
	assert_int_equal(n, (5 * CRITICAL_SEGMENTS_MAX + 4999) / 10000);
}

static int add_some(void *arg)
{
	_cleanup_(critical_path_done) struct critical_path path = { 0 };

	for (uint32_t i = 0; i < 100; i++)
		add(&path, i, i + 1, i % 50);
	return path.nomem ? -ENOMEM : 0;
}

static void survives_failing_allocations(void **state)
{
	oom_check(add_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_sums),
		cmocka_unit_test(folds_short_segments),
		cmocka_unit_test(causes_have_distinct_keys),
		cmocka_unit_test(is_bounded),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
