/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/tasks/cpu-holders.h"

static int32_t recorder[] = { 50, 51 };
static const struct followed followed = { .untraced = recorder, .n_untraced = 2 };

static void add(struct cpu_holders *holders, int32_t pid, const char *name, uint64_t time)
{
	struct decoded_event decoded = { .kind = DECODED_SWITCH };

	decoded.sched.prev_pid = pid;
	decoded.sched.prev_name = (struct decoded_name){ name, name ? strlen(name) : 0 };
	cpu_holders_add(holders, &decoded, time);
}

static int feed(struct cpu_holders *holders)
{
	add(holders, 0, "swapper/0", 3);
	add(holders, 50, "fathom", 20);
	add(holders, 9, NULL, 10);
	add(holders, 51, "fathom", 20);
	add(holders, 52, "fathom-not-it", 15);
	add(holders, 9, "a name that is too long for a task", 1);
	return cpu_holders_finish(holders);
}

static void expect(const struct cpu_holder *holder, int32_t pid, uint64_t time, const char *name,
		   bool is_recorder)
{
	assert_int_equal(holder->pid, pid);
	assert_int_equal(holder->time, time);
	assert_string_equal(holder->name, name);
	assert_int_equal(holder->recorder, is_recorder);
}

static void the_recorder_is_one_holder(void **state)
{
	struct cpu_holders holders = { .followed = &followed };

	assert_int_equal(feed(&holders), 0);
	assert_int_equal(holders.n, 4);
	expect(&holders.list[0], 51, 40, "fathom", true);
	expect(&holders.list[1], 52, 15, "fathom-not-it", false);
	expect(&holders.list[2], 9, 11, "a name that is t", false);
	expect(&holders.list[3], 0, 3, "swapper/0", false);
	cpu_holders_done(&holders);
}

static void the_recorder_is_not_identified_by_name(void **state)
{
	struct cpu_holders holders = { 0 };

	assert_int_equal(feed(&holders), 0);
	assert_int_equal(holders.n, 5);
	expect(&holders.list[0], 50, 20, "fathom", false);
	expect(&holders.list[1], 51, 20, "fathom", false);
	cpu_holders_done(&holders);
}

static int feed_once(void *arg)
{
	struct cpu_holders holders = { .followed = &followed };
	int r = feed(&holders);

	cpu_holders_done(&holders);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorder_is_one_holder),
		cmocka_unit_test(the_recorder_is_not_identified_by_name),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
