/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/mem.h"
#include "base/u64-map.h"

static uint64_t key_of(uint64_t i)
{
	/* Some keys differ in their low bits only, others in the high ones. */
	return i % 2 ? i << 40 | 7 : i;
}

static void numbers_keys_in_order(void **state)
{
	struct u64_map map = { 0 };

	assert_int_equal(u64_map_get(&map, 0), U64_MAP_NONE);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t value = u64_map_put(&map, key_of(i));

		if (value == U64_MAP_NONE)
			break;
		assert_int_equal(value, i);
		assert_int_equal(u64_map_put(&map, key_of(i / 2)), i / 2);
		assert_int_equal(u64_map_get(&map, key_of(i + 1)), U64_MAP_NONE);
	}
	for (uint32_t i = 0; i < map.n; i++)
		assert_int_equal(u64_map_get(&map, key_of(i)), i);
	u64_map_done(&map);
}

static void has_an_element_for_each_key(void **state)
{
	struct u64_map map = { 0 };
	struct {
		uint64_t key, zero;
	} *list = NULL, *element;
	size_t n = 0, cap = 0;

	for (uint64_t i = 0; i < 1000; i++) {
		/* Each key is inserted twice. */
		size_t before = n;

		element = u64_map_element(&map, key_of(i / 2), &list, &n, &cap, sizeof(*list));
		if (!element) {
			/* The map is unchanged, so the insertion can be repeated. */
			assert_int_equal(n, before);
			assert_int_equal(map.n, n);
			continue;
		}
		assert_int_equal(map.n, n);
		if (n > before) {
			assert_int_equal(element->key, 0);
			assert_int_equal(element->zero, 0);
			element->key = key_of(i / 2);
		}
		assert_int_equal(element->key, key_of(i / 2));
		assert_ptr_equal(element, &list[u64_map_get(&map, key_of(i / 2))]);
	}
	if (!mem_fault)
		assert_int_equal(n, 500);
	free(list);
	u64_map_done(&map);
}

static int fill(void *arg)
{
	struct u64_map map = { 0 }, other = { 0 };
	uint32_t *list = NULL;
	size_t n = 0, cap = 0;
	int r = 0;

	for (uint32_t i = 0; i < 200 && r == 0; i++)
		if (u64_map_put(&map, i) == U64_MAP_NONE ||
		    !u64_map_element(&other, i, &list, &n, &cap, sizeof(*list)))
			r = -ENOMEM;
	u64_map_done(&map);
	u64_map_done(&other);
	free(list);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(fill, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_keys_in_order),
		cmocka_unit_test(has_an_element_for_each_key),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
