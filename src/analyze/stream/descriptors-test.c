/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/stream/descriptors.h"

static void open_some(struct descriptors *d)
{
	descriptors_set(d, 7, 5, 50, false);
	descriptors_set(d, 7, 3, 30, true);
	descriptors_set(d, 7, 4, 40, false);
	descriptors_set(d, 7, 3, 31, true);
}

static void remembers_open_descriptors(void **state)
{
	struct descriptors d = { 0 };

	open_some(&d);
	descriptors_set(&d, 7, -1, 1, false);
	descriptors_set(&d, 7, (int64_t)1 << 40, 1, false);
	if (succeeds(!d.nomem)) {
		assert_int_equal(descriptors_get(&d, 7, 3), 31);
		assert_int_equal(descriptors_get(&d, 7, 4), 40);
		assert_int_equal(descriptors_get(&d, 7, 5), 50);
		assert_int_equal(descriptors_get(&d, 7, 6), FILE_NONE);
		assert_int_equal(descriptors_get(&d, 7, -1), FILE_NONE);
		assert_int_equal(descriptors_get(&d, 8, 3), FILE_NONE);
		assert_int_equal(d.n_open, 3);
		descriptors_close(&d, 7, 4, 4);
		descriptors_set(&d, 7, 5, FILE_NONE, false);
		assert_int_equal(descriptors_get(&d, 7, 4), FILE_NONE);
		assert_int_equal(descriptors_get(&d, 7, 5), FILE_NONE);
		assert_int_equal(descriptors_get(&d, 7, 3), 31);
		descriptors_close(&d, 7, 0, UINT32_MAX);
		descriptors_close(&d, 99, 0, UINT32_MAX);
		assert_int_equal(d.n_open, 0);
	}
	descriptors_done(&d);
}

static void copies_are_independent(void **state)
{
	struct descriptors d = { 0 };

	open_some(&d);
	descriptors_fork(&d, 7, 8, false);
	descriptors_fork(&d, 7, 9, true);
	descriptors_set(&d, 7, 4, 41, false);
	descriptors_close(&d, 8, 5, 5);
	if (succeeds(!d.nomem)) {
		assert_int_equal(descriptors_get(&d, 8, 4), 40);
		assert_int_equal(descriptors_get(&d, 9, 4), 41);
		assert_int_equal(descriptors_get(&d, 8, 5), FILE_NONE);
		assert_int_equal(descriptors_get(&d, 7, 5), 50);
	}
	/* Exec closes marked descriptors, and gives a thread a private table. */
	descriptors_exec(&d, 9);
	if (succeeds(!d.nomem)) {
		assert_int_equal(descriptors_get(&d, 9, 3), FILE_NONE);
		assert_int_equal(descriptors_get(&d, 9, 4), 41);
		assert_int_equal(descriptors_get(&d, 7, 3), 31);
	}
	descriptors_mark(&d, 8, 3, 3, false);
	descriptors_mark(&d, 8, 4, UINT32_MAX, true);
	descriptors_exec(&d, 8);
	if (succeeds(!d.nomem)) {
		assert_int_equal(descriptors_get(&d, 8, 3), 31);
		assert_int_equal(descriptors_get(&d, 8, 4), FILE_NONE);
	}
	descriptors_exit(&d, 7);
	descriptors_exit(&d, 8);
	descriptors_exit(&d, 8);
	descriptors_exit(&d, 9);
	if (succeeds(!d.nomem))
		assert_int_equal(d.n_open, 0);
	/* A freed table is reused. */
	descriptors_set(&d, 10, 0, 1, false);
	if (succeeds(!d.nomem))
		assert_int_equal(d.n_tables, 3);
	descriptors_done(&d);
}

static void forgets_all(void **state)
{
	struct descriptors d = { 0 };

	open_some(&d);
	descriptors_forget(&d);
	descriptors_fork(&d, 7, 8, false);
	assert_int_equal(descriptors_get(&d, 7, 3), FILE_NONE);
	assert_int_equal(descriptors_get(&d, 8, 3), FILE_NONE);
	descriptors_set(&d, 7, 9, 90, false);
	if (succeeds(!d.nomem)) {
		assert_int_equal(descriptors_get(&d, 7, 9), 90);
		assert_int_equal(descriptors_get(&d, 7, 3), FILE_NONE);
		assert_int_equal(d.n_open, 1);
	}
	descriptors_done(&d);
}

static int use(void *arg)
{
	struct descriptors d = { 0 };
	int r;

	open_some(&d);
	descriptors_fork(&d, 7, 8, false);
	descriptors_fork(&d, 8, 9, true);
	descriptors_unshare(&d, 9);
	descriptors_exit(&d, 7);
	r = d.nomem ? -ENOMEM : 0;
	descriptors_done(&d);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(use, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(remembers_open_descriptors),
		cmocka_unit_test(copies_are_independent),
		cmocka_unit_test(forgets_all),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
