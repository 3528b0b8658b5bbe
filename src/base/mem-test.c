/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "base/mem.h"

static void rejects_overflowing_sizes(void **state)
{
	assert_null(mem_zalloc(SIZE_MAX / 2, 3));
	assert_null(mem_resize(NULL, SIZE_MAX / 2, 3));
}

static void accepts_size_zero(void **state)
{
	_cleanup_free_ void *p = mem_alloc(0);

	assert_non_null(p);
}

static void formats(void **state)
{
	_cleanup_free_ char *s = mem_printf("%d-%s", 4, "x");

	if (succeeds(s))
		assert_string_equal(s, "4-x");
}

static void copies_at_most_n(void **state)
{
	_cleanup_free_ char *s = mem_strndup("abcdef", 3);

	if (succeeds(s))
		assert_string_equal(s, "abc");
}

static void grows_by_doubling(void **state)
{
	_cleanup_free_ int *v = NULL;
	size_t cap = 0;

	for (int i = 0; i < 100; i++) {
		require(!mem_reserve(&v, &cap, (size_t)i + 1, sizeof(*v)));
		v[i] = i;
	}
	assert_int_equal(cap, 128);
	assert_int_equal(v[99], 99);
	assert_int_equal(mem_reserve(&v, &cap, SIZE_MAX, sizeof(*v)), -ENOMEM);
	assert_int_equal(v[99], 99);
}

static int two_allocations(void *arg)
{
	_cleanup_free_ void *a = mem_alloc(1);
	_cleanup_free_ void *b = a ? mem_alloc(1) : NULL;

	*(int *)arg += 1;
	return b ? 0 : -ENOMEM;
}

static void fails_each_allocation_once(void **state)
{
	int runs = 0;

	oom_check(two_allocations, &runs);
	assert_int_equal(runs, mem_fault ? 1 : 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rejects_overflowing_sizes),
		cmocka_unit_test(accepts_size_zero),
		cmocka_unit_test(formats),
		cmocka_unit_test(copies_at_most_n),
		cmocka_unit_test(grows_by_doubling),
		cmocka_unit_test(fails_each_allocation_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
