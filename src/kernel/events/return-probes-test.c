/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/events/return-probes.h"

#include "test.h"

static int64_t result(uint8_t size, bool is_signed, uint64_t value)
{
	return return_probe_result(&(struct return_probe){ .size = size, .is_signed = is_signed },
				   value);
}

/* The kernel leaves the register bits beyond the return type undefined. */
static void converts_results_to_the_return_type(void **state)
{
	assert_int_equal(result(4, true, 0xfffffffe), -2);
	assert_int_equal(result(4, true, 0x12345678fffffffe), -2);
	assert_int_equal(result(4, true, 0xffffffff00000007), 7);
	assert_int_equal(result(4, false, 0x12345678fffffffe), 0xfffffffe);
	assert_int_equal(result(1, false, 0xffffffffffffff00), 0);
	assert_int_equal(result(1, false, 0xffffffffffffff01), 1);
	assert_int_equal(result(2, true, 0x8000), -32768);
	assert_int_equal(result(8, true, (uint64_t)-13), -13);
	assert_int_equal(result(8, false, 0xffff888012345678), (int64_t)0xffff888012345678);
	/* A value of unknown type is unchanged. */
	assert_int_equal(result(0, false, 0xfffffffe), 0xfffffffe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(converts_results_to_the_return_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
