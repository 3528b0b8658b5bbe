/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "tree.h"

#include "base/cleanup.h"
#include "kernel/events/dynamic-events.h"

#define _cleanup_dynamic_ _cleanup_(dynamic_events_done)

static const char definitions[] = "p:kprobes/myopen do_sys_open file=+0($arg2):string\n"
				  "r16:kprobes/myret do_sys_open $retval\n"
				  "p:uprobes/sh /bin/sh:0x123\n"
				  "f:fprobes/f vfs_read%return\n"
				  "t:tracepoints/t sched_switch\n"
				  "e:eprobes/e syscalls/sys_enter_openat\n"
				  "s:synthetic/lat u64 lat; pid_t pid\n";

static void reads_every_kind(void **state)
{
	static const struct {
		const char *kind, *system, *name;
	} want[] = {
		{ "kprobe", "kprobes", "myopen" },
		{ "kretprobe", "kprobes", "myret" },
		{ "uprobe", "uprobes", "sh" },
		{ "fprobe-return", "fprobes", "f" },
		{ "tracepoint-probe", "tracepoints", "t" },
		{ "event-probe", "eprobes", "e" },
		{ "synthetic", "synthetic", "lat" },
	};
	_cleanup_dynamic_ struct dynamic_events d = { 0 };
	int dir = *(int *)*state;

	tree_file("/dynamic_events", definitions);
	tree_file("/events/kprobes/myret/enable", "1\n");
	require(dynamic_events_read(dir, &d, NULL) >= 0);
	assert_int_equal(d.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < d.n; i++) {
		assert_string_equal(d.list[i].kind, want[i].kind);
		assert_string_equal(d.list[i].system, want[i].system);
		assert_string_equal(d.list[i].name, want[i].name);
		assert_int_equal(d.list[i].enabled, i == 1);
	}
	assert_string_equal(d.list[2].definition, "p:uprobes/sh /bin/sh:0x123");
}

static void reads_the_files_of_old_kernels(void **state)
{
	_cleanup_dynamic_ struct dynamic_events d = { 0 };
	int dir = *(int *)*state;

	tree_file("/kprobe_events", "p:kprobes/a vfs_read\n");
	tree_file("/synthetic_events", "lat\tu64 lat; pid_t pid\n");
	require(dynamic_events_read(dir, &d, NULL) >= 0);
	assert_int_equal(d.n, 2);
	assert_string_equal(d.list[1].kind, "synthetic");
	assert_string_equal(d.list[1].system, "synthetic");
	assert_string_equal(d.list[1].name, "lat");
}

static void survives_garbage(void **state)
{
	_cleanup_dynamic_ struct dynamic_events d = { 0 };

	tree_file("/dynamic_events", ":\np\np:\n/\np:/\np:a/\n \n\t;\n\n:::///\n");
	dynamic_events_read(*(int *)*state, &d, NULL);
}

static int read_all(void *arg)
{
	_cleanup_dynamic_ struct dynamic_events d = { 0 };

	return dynamic_events_read(*(int *)arg, &d, NULL);
}

static void survives_failing_allocations(void **state)
{
	tree_file("/dynamic_events", definitions);
	oom_check(read_all, *state);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_every_kind),
		TEST(reads_the_files_of_old_kernels),
		TEST(survives_garbage),
		TEST(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
