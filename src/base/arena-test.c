/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <stdalign.h>

#include "base/arena.h"

static void aligns_everything(void **state)
{
	struct arena arena = { 0 };

	for (size_t size = 0; size < 100; size++) {
		char *p = arena_alloc(&arena, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		memset(p, (int)size, size);
	}
	arena_done(&arena);
}

static void allocates_large_and_many_blocks(void **state)
{
	struct arena arena = { 0 };
	char *large = arena_alloc(&arena, 1 << 20);
	char *first = arena_strdup(&arena, "first");

	assert_non_null(large);
	memset(large, 'x', 1 << 20);
	for (int i = 0; i < 10000; i++)
		assert_non_null(arena_strdup(&arena, "some words to fill the arena with"));
	assert_string_equal(first, "first");
	assert_true(arena_size(&arena) > (1 << 20));
	arena_done(&arena);
	assert_int_equal(arena_size(&arena), 0);
	assert_non_null(arena_alloc(&arena, 1));
	arena_done(&arena);
}

static void rejects_overflowing_sizes(void **state)
{
	struct arena arena = { 0 };

	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, SIZE_MAX - 20));
	assert_null(arena_zalloc(&arena, SIZE_MAX / 2, 3));
	arena_done(&arena);
}

static void formats_strings(void **state)
{
	struct arena arena = { 0 };
	char *text = arena_printf(&arena, "%s-%d", "a", 7);

	if (succeeds(text))
		assert_string_equal(text, "a-7");
	text = arena_printf(&arena, "%50000s", "x");
	if (succeeds(text))
		assert_int_equal(strlen(text), 50000);
	arena_done(&arena);
}

static int fill(void *arg)
{
	struct arena arena = { 0 };
	int r = 0;

	for (int i = 0; i < 1000 && !r; i++)
		if (!arena_zalloc(&arena, 10, 10))
			r = -ENOMEM;
	arena_done(&arena);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(fill, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aligns_everything),
		cmocka_unit_test(allocates_large_and_many_blocks),
		cmocka_unit_test(rejects_overflowing_sizes),
		cmocka_unit_test(formats_strings),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
