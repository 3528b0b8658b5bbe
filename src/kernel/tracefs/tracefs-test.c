/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "kernel/tracefs/tracefs.h"

#define SYSFS	"22 28 0:21 / /sys rw,nosuid - sysfs sysfs rw\n"
#define TRACEFS "36 22 0:12 / /sys/kernel/tracing rw,nosuid shared:9 - tracefs tracefs rw\n"

static const char *root;

static int make(void **state)
{
	root = tree_make();
	tree_file("/proc/filesystems", "nodev\tsysfs\nnodev\ttracefs\n\text4\n");
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

static struct tracefs find(void)
{
	struct tracefs tracefs = TRACEFS_NONE;
	struct fathom_err err = { 0 };

	if (tracefs_find(root, &tracefs, &err) < 0)
		fail_msg("%s", fathom_err_text(&err));
	return tracefs;
}

static void finds_the_standard_mount_point(void **state)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	tree_file("/proc/self/mountinfo",
		  SYSFS TRACEFS "37 22 0:12 / /mnt/other rw - tracefs tracefs rw\n");
	tree_file("/sys/kernel/tracing/current_tracer", "nop\n");
	tree_dir("/mnt");
	tree_dir("/mnt/other");
	tracefs = find();
	assert_int_equal(tracefs.state, TRACEFS_WRITABLE);
	assert_int_equal(tracefs.place, TRACEFS_AT_TRACING);
	assert_true(tracefs.fd >= 0);
	assert_string_equal(tracefs.path + strlen(root), "/sys/kernel/tracing");
	assert_string_equal(tracefs_obstacle(&tracefs), "");
}

static void finds_a_mount_point_with_blanks(void **state)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	tree_file("/proc/self/mountinfo",
		  SYSFS "broken line\n36 22 0:12 / /mnt/a\\040b rw a:1 b:2 - tracefs none rw\n");
	tree_file("/mnt/a b/current_tracer", "nop\n");
	tracefs = find();
	assert_int_equal(tracefs.state, TRACEFS_WRITABLE);
	assert_int_equal(tracefs.place, TRACEFS_ELSEWHERE);
}

static void ignores_bind_mounts_of_a_subdirectory(void **state)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	tree_file("/proc/self/mountinfo",
		  SYSFS "36 22 0:12 /instances/x /mnt/x rw - tracefs tracefs rw\n");
	tracefs = find();
	assert_int_equal(tracefs.state, TRACEFS_NOT_MOUNTED);
}

static void finds_it_in_debugfs(void **state)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	tree_file("/proc/self/mountinfo",
		  SYSFS "30 22 0:7 / /sys/kernel/debug rw - debugfs debugfs rw\n");
	tree_file("/sys/kernel/debug/tracing/current_tracer", "nop\n");
	tracefs = find();
	assert_int_equal(tracefs.state, TRACEFS_WRITABLE);
	assert_int_equal(tracefs.place, TRACEFS_AT_DEBUGFS);
}

static void detects_a_read_only_mount(void **state)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	tree_file("/proc/self/mountinfo",
		  SYSFS "36 22 0:12 / /sys/kernel/tracing ro - tracefs tracefs rw\n");
	tree_file("/sys/kernel/tracing/current_tracer", "nop\n");
	tracefs = find();
	assert_int_equal(tracefs.state, TRACEFS_READ_ONLY);
	assert_true(tracefs_readable(&tracefs));
}

static void detects_a_covering_mount(void **state)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	tree_file("/proc/self/mountinfo",
		  SYSFS TRACEFS "40 36 0:30 / /sys/kernel/tracing ro - tmpfs tmpfs ro\n");
	tree_dir("/sys/kernel");
	tracefs = find();
	assert_int_equal(tracefs.state, TRACEFS_HIDDEN);
	assert_int_equal(tracefs.fd, -1);
}

static void distinguishes_unmounted_from_unsupported(void **state)
{
	_cleanup_tracefs_ struct tracefs mounted = TRACEFS_NONE, without = TRACEFS_NONE;

	tree_file("/proc/self/mountinfo", SYSFS);
	mounted = find();
	assert_int_equal(mounted.state, TRACEFS_NOT_MOUNTED);
	assert_non_null(strstr(tracefs_advice(&mounted), "--mount"));
	tree_file("/proc/filesystems", "nodev\tsysfs\n");
	without = find();
	assert_int_equal(without.state, TRACEFS_NOT_IN_KERNEL);
}

static void reports_missing_permission(void **state)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	/*
	 * A directory without the file imitates missing permission, which root never encounters.
	 */
	tree_file("/proc/self/mountinfo", SYSFS TRACEFS);
	tree_dir("/sys");
	tree_dir("/sys/kernel");
	tree_dir("/sys/kernel/tracing");
	tracefs = find();
	assert_int_equal(tracefs.state, TRACEFS_NO_ACCESS);
	assert_false(tracefs_readable(&tracefs));
}

static int find_and_drop(void *arg)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	return tracefs_find(root, &tracefs, NULL);
}

static void survives_failing_allocations(void **state)
{
	tree_file("/proc/self/mountinfo", SYSFS TRACEFS);
	tree_file("/sys/kernel/tracing/current_tracer", "nop\n");
	oom_check(find_and_drop, NULL);
	tree_file("/proc/self/mountinfo",
		  SYSFS "30 22 0:7 / /sys/kernel/debug rw - debugfs debugfs rw\n");
	oom_check(find_and_drop, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_the_standard_mount_point, make, clean),
		cmocka_unit_test_setup_teardown(finds_a_mount_point_with_blanks, make, clean),
		cmocka_unit_test_setup_teardown(ignores_bind_mounts_of_a_subdirectory, make, clean),
		cmocka_unit_test_setup_teardown(finds_it_in_debugfs, make, clean),
		cmocka_unit_test_setup_teardown(detects_a_read_only_mount, make, clean),
		cmocka_unit_test_setup_teardown(detects_a_covering_mount, make, clean),
		cmocka_unit_test_setup_teardown(distinguishes_unmounted_from_unsupported, make,
						clean),
		cmocka_unit_test_setup_teardown(reports_missing_permission, make, clean),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
