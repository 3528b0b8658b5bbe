/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that a price is stored only if the machine is as fast at the end as when it was measured.
 */
#include "test.h"

#include <string.h>

#include "actions/record/record-price.h"

/*
 * Returns the cost that is finally stored if it was measured while a fixed computation took
 * @work_ns.
 */
static bool is_noted(double work_ns)
{
	_cleanup_strbuf_ struct strbuf info = { 0 };
	struct plan_buffer buffer = { .tracer = NULL };
	const struct plan plan = { .buffers = &buffer, .n = 1 };
	struct record_price price = { .wanted = true,
				      .bare = { .ns = 100, .mean_ns = 100, .work_ns = work_ns },
				      .traced = { .ns = 900, .mean_ns = 900, .work_ns = work_ns },
				      .events = 2 };

	record_price_end(&price);
	record_price_note(&price, &plan, &info);
	if (info.len)
		assert_string_equal(info.s, "prices: event 400.0 ns, function call 0.0 ns\n");
	return info.len > 0;
}

static void records_the_cost_on_a_steady_machine(void **state)
{
	bool noted = false;

	require_memory();
	/* The machine that runs the test may be busy. */
	for (unsigned i = 0; i < 100 && !noted; i++)
		noted = is_noted(syscall_time_measure(SYSCALL_NONE).work_ns);
	assert_true(noted);
}

static void records_no_cost_if_the_speed_changes(void **state)
{
	double work_ns = syscall_time_measure(SYSCALL_NONE).work_ns;

	assert_true(work_ns > 1);
	assert_false(is_noted(work_ns * 10));
	assert_false(is_noted(work_ns / 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_the_cost_on_a_steady_machine),
		cmocka_unit_test(records_no_cost_if_the_speed_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
