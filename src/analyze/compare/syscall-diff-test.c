/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/compare/syscall-diff.h"

static struct syscall_sums old_list[] = {
	{ .number = 0, .name = "read", .count = 2, .total = 100 },
	{ .number = 1, .name = "write", .count = 1, .total = 50 },
	{ .number = 231, .name = "exit_group", .ended_in = 1, .ended_total = 30 },
	{ .number = 400, .count = 1, .total = 7 },
};
/* Another architecture with different numbers. */
static struct syscall_sums new_list[] = {
	{ .number = 63, .name = "read", .count = 2, .total = 90 },
	{ .number = 94, .name = "exit_group", .ended_in = 1, .ended_total = 80 },
	{ .number = 1, .name = "openat", .count = 1, .total = 1000 },
	{ .number = 400, .count = 1, .total = 7 },
};
static const struct syscalls old_calls = { .list = old_list, .n = 4 };
static const struct syscalls new_calls = { .list = new_list, .n = 4 };
static const struct syscalls *const old_runs[] = { &old_calls, &old_calls };
static const struct syscalls *const new_runs[] = { &new_calls, &new_calls };

static void pairs_by_name(void **state)
{
	static const struct {
		const char *name;
		int64_t change;
		uint64_t before, after; /* counts */
	} expected[] = {
		{ "openat", 1000, 0, 1 }, { "write", -50, 1, 0 }, { "exit_group", 50, 0, 0 },
		{ "read", -10, 2, 2 },	  { NULL, 0, 1, 1 },
	};
	struct syscall_diff diff;

	require(syscall_diff_make(old_runs, 1, new_runs, 1, &diff) >= 0);
	assert_int_equal(diff.n, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct syscall_change *change = &diff.list[i];

		if (expected[i].name)
			assert_string_equal(syscall_change_name(change), expected[i].name);
		else
			assert_null(syscall_change_name(change));
		assert_int_equal(syscall_change_time(&diff, change), expected[i].change);
		assert_int_equal(change->before.count, expected[i].before);
		assert_int_equal(change->after.count, expected[i].after);
	}
	assert_int_equal(diff.before, 187);
	assert_int_equal(diff.after, 1177);
	syscall_diff_done(&diff);
}

/* Sums are over all runs, changes per run. */
static void sums_runs(void **state)
{
	struct syscall_diff diff;

	require(syscall_diff_make(old_runs, 2, new_runs, 1, &diff) >= 0);
	assert_int_equal(diff.n, 5);
	assert_string_equal(syscall_change_name(&diff.list[3]), "read");
	assert_int_equal(diff.list[3].before.count, 4);
	assert_int_equal(diff.list[3].before.total, 200);
	assert_int_equal(diff.list[3].after.count, 2);
	assert_int_equal(syscall_change_time(&diff, &diff.list[3]), -10);
	assert_int_equal(diff.before, 187);
	assert_int_equal(diff.after, 1177);
	syscall_diff_done(&diff);
}

static int make(void *arg)
{
	struct syscall_diff diff;
	int r = syscall_diff_make(old_runs, 2, new_runs, 1, &diff);

	if (r == 0)
		syscall_diff_done(&diff);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(make, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_by_name),
		cmocka_unit_test(sums_runs),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
