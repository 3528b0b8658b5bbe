/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/syscalls/tracing-cost.h"

static struct tracing_cost cost;

static int begin(void **state)
{
	cost = (struct tracing_cost){ .known = true,
				      .prices = { .event_ns = 700, .call_ns = 1000 } };
	return 0;
}

static int end(void **state)
{
	tracing_cost_done(&cost);
	return 0;
}

static void happens_with(struct decoded_event *decoded, uint64_t time, uint32_t cpu)
{
	struct fathom_event event = { .time = time, .cpu = cpu, .pid = 7 + (int32_t)cpu };

	decoded->event = &event;
	tracing_cost_feed(&cost, decoded);
	decoded->event = NULL;
}

static void happens(enum decoded_kind kind, uint64_t time, uint32_t cpu)
{
	happens_with(&(struct decoded_event){ .kind = kind }, time, cpu);
}

static void calls(enum decoded_kind kind, uint64_t time)
{
	happens(kind, time, 0);
}

static void sums_costs(void **state)
{
	happens(DECODED_SYSCALL_ENTRY, 1000, 0);
	calls(DECODED_CALL, 2000);
	calls(DECODED_RETURN, 3000);
	happens(DECODED_SYSCALL_EXIT, 4000, 0);
	happens(DECODED_SWITCH, 5000, 0);
	assert_int_equal((int)cost.ns, 700 + 1000 + 700 + 700);
	assert_int_equal(tracing_cost_least(&cost), (uint64_t)(3100 * 0.97));
}

/* It is unknown which of the two waits for the other. */
static void counts_only_while_one_task_runs(void **state)
{
	happens(DECODED_SYSCALL_ENTRY, 1000, 0);
	assert_int_equal((int)cost.ns, 700);
	happens(DECODED_SYSCALL_ENTRY, 1100, 3);
	assert_int_equal((int)cost.ns, 700);
	happens(DECODED_SYSCALL_EXIT, 1150, 0);
	assert_int_equal((int)cost.ns, 700);
	happens(DECODED_SWITCH, 1200, 3);
	happens(DECODED_SYSCALL_EXIT, 1300, 0);
	assert_int_equal((int)cost.ns, 3 * 700);
}

static void a_task_is_on_one_cpu(void **state)
{
	struct fathom_event event = { .time = 1, .cpu = 1, .pid = 7 };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY, .event = &event };

	happens(DECODED_SYSCALL_ENTRY, 1000, 0);
	tracing_cost_feed(&cost, &decoded);
	assert_int_equal((int)cost.ns, 2 * 700);
	/* The waker need not be recorded. */
	happens(DECODED_WAKING, 1100, 3);
	assert_int_equal((int)cost.ns, 2 * 700);
	tracing_cost_feed(&cost, &decoded);
	assert_int_equal((int)cost.ns, 3 * 700);
}

static void other_costs_are_unknown(void **state)
{
	calls(DECODED_CALL, 1000);
	assert_true(tracing_cost_least(&cost) > 0);
	happens(DECODED_SAMPLE, 1000, 0);
	assert_int_equal(tracing_cost_least(&cost), 0);
	cost.known = true;
	happens_with(&(struct decoded_event){ .kind = DECODED_CALL, .call = { .is_user = true } },
		     1, 0);
	assert_int_equal(tracing_cost_least(&cost), 0);
}

static void the_cost_of_lost_events_is_unknown(void **state)
{
	struct fathom_event event = { .time = 1, .missed = 3 };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY, .event = &event };

	calls(DECODED_CALL, 1000);
	tracing_cost_feed(&cost, &decoded);
	assert_int_equal(tracing_cost_least(&cost), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_costs, begin, end),
		cmocka_unit_test_setup_teardown(counts_only_while_one_task_runs, begin, end),
		cmocka_unit_test_setup_teardown(a_task_is_on_one_cpu, begin, end),
		cmocka_unit_test_setup_teardown(other_costs_are_unknown, begin, end),
		cmocka_unit_test_setup_teardown(the_cost_of_lost_events_is_unknown, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
