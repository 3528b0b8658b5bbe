/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/syscalls/syscall-cost.h"
#include "base/cleanup.h"

static struct syscall_cost cost;

static int begin(void **state)
{
	cost = (struct syscall_cost){ .known = true,
				      .prices = { .event_ns = 700,
						  .syscall_ns = 800,
						  .path_ns = 1500,
						  .path_byte_ns = 80.5 } };
	return 0;
}

static double costs(struct decoded_event decoded)
{
	struct fathom_event event = { .time = 1000 };

	decoded.event = &event;
	return syscall_cost_of(&cost, &decoded);
}

static void an_event_has_a_cost(void **state)
{
	assert_true(costs((struct decoded_event){ .kind = DECODED_WAKING }) == 700);
	assert_true(costs((struct decoded_event){ .kind = DECODED_OTHER }) == 700);
	assert_true(costs((struct decoded_event){ .kind = DECODED_PATH, .path.len = 10 }) == 2305);
	/* The cost of entry and exit is known only for both together. */
	assert_true(costs((struct decoded_event){ .kind = DECODED_SYSCALL_ENTRY }) == 0);
	assert_true(costs((struct decoded_event){ .kind = DECODED_SYSCALL_EXIT }) == 0);
	assert_true(cost.known);
}

static void an_unknown_cost_invalidates_it(void **state)
{
	static const enum decoded_kind kinds[] = { DECODED_CALL,	DECODED_RETURN,
						   DECODED_FUNCTION,	DECODED_PROBE,
						   DECODED_SAMPLE,	DECODED_USER_STACK,
						   DECODED_USER,	DECODED_WRITTEN,
						   DECODED_PROBE_RETURN };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		begin(state);
		assert_true(costs((struct decoded_event){ .kind = kinds[i] }) == 0);
		assert_false(cost.known);
		assert_true(costs((struct decoded_event){ .kind = DECODED_WAKING }) == 0);
	}
}

static void lost_events_invalidate_it(void **state)
{
	struct fathom_event event = { .time = 1000, .missed = 1 };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_EXIT, .event = &event };

	assert_true(syscall_cost_of(&cost, &decoded) == 0);
	assert_false(cost.known);
}

static void is_subtracted(void **state)
{
	bool is_below = true;

	assert_int_equal(syscall_cost_take_off(5000, 0, 799.6, &is_below), 4200);
	assert_false(is_below);
	/* The remainder is below the accuracy. */
	assert_int_equal(syscall_cost_take_off(850, 0, 800, &is_below), 80);
	assert_true(is_below);
	assert_int_equal(syscall_cost_take_off(500, 0, 800, &is_below), 80);
	assert_true(is_below);
	/* Off the CPU, the task is not traced. */
	assert_int_equal(syscall_cost_take_off(5000, 4900, 800, &is_below), 4900);
	assert_false(is_below);
	assert_int_equal(syscall_cost_take_off(5000, 6000, 800, &is_below), 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_event_has_a_cost, begin),
		cmocka_unit_test_setup(an_unknown_cost_invalidates_it, begin),
		cmocka_unit_test_setup(lost_events_invalidate_it, begin),
		cmocka_unit_test_setup(is_subtracted, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
