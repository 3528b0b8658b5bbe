/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "tree.h"

#include "base/cleanup.h"
#include "kernel/tracefs/instances.h"

#define _cleanup_instances_ _cleanup_(instances_done)

static void fill(int dir)
{
	tree_file("/instances/b/current_tracer", "nop\n");
	tree_file("/instances/b/tracing_on", "1\n");
	tree_file("/instances/b/set_event", "sched:sched_switch\nirq:softirq_entry\n");
	tree_file("/instances/b/buffer_size_kb", "7 (expanded: 1408)\n");
	tree_file("/instances/b/buffer_total_size_kb", "14 (expanded: 2816)\n");
	tree_dir("/instances/a");
	tree_file("/instances/a/buffer_size_kb", "X\n");
}

static void reads_a_tree(void **state)
{
	_cleanup_instances_ struct instances i = { 0 };
	struct fathom_err err = { 0 };
	int dir = *(int *)*state;

	assert_int_equal(instances_read(dir, &i, &err), -ENOENT);
	fill(dir);
	require(instances_read(dir, &i, NULL) >= 0);
	assert_int_equal(i.n, 2);
	assert_string_equal(i.list[0].name, "a");
	assert_string_equal(i.list[0].tracer, "");
	assert_int_equal(i.list[0].kb_per_cpu, 0);
	assert_string_equal(i.list[1].name, "b");
	assert_string_equal(i.list[1].tracer, "nop");
	assert_true(i.list[1].recording);
	assert_int_equal(i.list[1].events_enabled, 2);
	assert_int_equal(i.list[1].kb_per_cpu, 7);
	assert_int_equal(i.list[1].kb_total, 14);
}

static int read_all(void *arg)
{
	_cleanup_instances_ struct instances i = { 0 };

	return instances_read(*(int *)arg, &i, NULL);
}

static void survives_failing_allocations(void **state)
{
	fill(*(int *)*state);
	oom_check(read_all, *state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_a_tree, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
