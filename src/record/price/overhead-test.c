/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <math.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/plan.h"
#include "record/price/overhead.h"
#include "record/price/probe-cost.h"

#define SECOND 1000000000ULL

static void assert_near(double got, double wanted)
{
	if (fabs(got - wanted) > 1e-9 * (1 + fabs(wanted)))
		fail_msg("%.9g, not %.9g", got, wanted);
}

static void sums_costs(void **state)
{
	struct overhead_sums from = {
		.time_ns = 5 * SECOND, .events = 1000, .events_ns = 500e3, .own_ns = 7
	};
	/* In two seconds, a million events of 600 ns, and 0.4 s of CPU time. */
	struct overhead_sums to = { .time_ns = 7 * SECOND,
				    .events = 1001000,
				    .events_ns = 500e3 + 600e6,
				    .own_ns = 7 + 4 * SECOND / 10 };
	struct overhead_cost cost = overhead_between(&from, &to, 4);

	assert_near(cost.events, 0.6 / 8);
	assert_near(cost.own, 0.4 / 8);
	assert_near(overhead_share(&cost), 1.0 / 8);
	assert_near(cost.per_second, 500000);
	assert_near(cost.event_ns, 600);
	/* The same on one CPU. */
	cost = overhead_between(&from, &to, 1);
	assert_near(overhead_share(&cost), 0.5);
}

static void stays_plausible(void **state)
{
	struct overhead_sums zero = { 0 }, none = { 0 };
	struct overhead_sums to = {
		.time_ns = SECOND, .events = 100, .events_ns = 5e9, .own_ns = SECOND / 4
	};
	struct overhead_cost cost = overhead_between(&zero, &to, 1);

	/* The total is limited to 1, and the measured part is kept. */
	assert_near(cost.own, 0.25);
	assert_near(cost.events, 0.75);
	/* No time passed. */
	cost = overhead_between(&to, &to, 1);
	assert_near(overhead_share(&cost), 0);
	/* A ring that was cleared counts from zero. */
	none.time_ns = 2 * SECOND;
	none.own_ns = SECOND / 2;
	cost = overhead_between(&to, &none, 1);
	assert_near(cost.events, 0);
	assert_near(cost.own, 0.25);
}

/* Lets a second pass in which events cost @share of two CPUs. */
static bool second(struct overhead *overhead, double share)
{
	struct overhead_sums now = overhead->last;

	now.time_ns += SECOND;
	now.events += 1000;
	now.events_ns += share * 2e9;
	return overhead_look(overhead, &now, 2);
}

static void stops_after_two_measurements(void **state)
{
	struct overhead overhead = { .limit = 0.1 };

	assert_false(second(&overhead, 0.09));
	assert_false(second(&overhead, 0.11));
	/* A single peak is forgiven. */
	assert_false(second(&overhead, 0.01));
	assert_false(second(&overhead, 0.5));
	assert_true(second(&overhead, 0.12));
	assert_near(overhead_share(&overhead.cost), 0.12);
	overhead = (struct overhead){ .limit = 0 };
	for (int i = 0; i < 5; i++)
		assert_false(second(&overhead, 1));
}

static void parses_limits(void **state)
{
	static const char *const wrong[] = { "",     "%",    "0",   "0%",  "-1%", "101%",
					     "10 %", "10%%", "nan", "ten", "1e9", "None" };
	double limit = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (overhead_parse(wrong[i], &limit) || limit != 7)
			fail_msg("'%s' is a limit", wrong[i]);
	assert_true(overhead_parse("10%", &limit));
	assert_near(limit, 0.1);
	assert_true(overhead_parse("2.5", &limit));
	assert_near(limit, 0.025);
	assert_true(overhead_parse("100%", &limit));
	assert_near(limit, 1);
	assert_true(overhead_parse("none", &limit));
	assert_near(limit, 0);
}

static void limits_unattended_recordings(void **state)
{
	for (unsigned i = 0; i < 8; i++) {
		bool whole = i & 1, ends = i & 2, attended = i & 4;

		assert_near(overhead_default(whole, ends, attended),
			    i == 1 ? OVERHEAD_UNATTENDED : 0);
	}
}

static void limits_the_most_expensive_functions(void **state)
{
	_cleanup_plan_ struct plan plan = { 0 };

	require(plan_init(&plan) >= 0);
	assert_near(event_price_ns(&plan, &plan.buffers[0]), 0);
	plan.buffers[0].tracer = "function";
	assert_near(event_price_ns(&plan, &plan.buffers[0]), probe_cost_ns(PROBE_COST_FUNCTION));
	require(plan_add_event(&plan.buffers[0], "sched", true) >= 0);
	assert_near(event_price_ns(&plan, &plan.buffers[0]), probe_cost_ns(PROBE_COST_FUNCTION));
	plan.buffers[0].events[0].off = false;
	assert_near(event_price_ns(&plan, &plan.buffers[0]), probe_cost_ns(PROBE_COST_EVENT));
	/* A call is two events. */
	plan.buffers[0].tracer = "function_graph";
	assert_near(event_price_ns(&plan, &plan.buffers[0]),
		    probe_cost_ns(PROBE_COST_GRAPH_CALL) / 2.0);
	require(plan_add_expression(&plan, "kr:vfs_read", NULL) >= 0);
	assert_near(event_price_ns(&plan, &plan.buffers[0]), probe_cost_ns(PROBE_COST_KRETPROBE));
	plan.all_user_functions = true;
	assert_near(event_price_ns(&plan, &plan.buffers[0]), probe_cost_ns(PROBE_COST_URETPROBE));
	plan.buffers[0].tracer = "nop";
}

/* Returns the shortest measured time of a system call. */
static double shortest_call_ns(void)
{
	double least = 1e9;

	for (int round = 0; round < 50; round++) {
		uint64_t begin = clock_ns(CLOCK_MONOTONIC);

		for (int i = 0; i < 100; i++)
			syscall(SYS_getppid);
		least = fmin(least, (double)(clock_ns(CLOCK_MONOTONIC) - begin) / 100);
	}
	return least;
}

static void measures_this_machine(void **state)
{
	double least = shortest_call_ns(), scale = event_price_scale();

	/* Not much less than the shortest time, regardless of the load of the machine. */
	assert_true(scale * probe_cost_ns(PROBE_COST_SYSCALL) > least / 4);
	/* A system call takes between a nanosecond and a third of a millisecond. */
	assert_true(scale > 1.0 / 344);
	assert_true(scale < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_costs),
		cmocka_unit_test(stays_plausible),
		cmocka_unit_test(stops_after_two_measurements),
		cmocka_unit_test(parses_limits),
		cmocka_unit_test(limits_unattended_recordings),
		cmocka_unit_test(limits_the_most_expensive_functions),
		cmocka_unit_test(measures_this_machine),
	};

	return cmocka_run_group_tests_name("overhead", tests, NULL, NULL);
}
