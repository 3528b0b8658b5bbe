/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "kernel/events/kprobe-profile.h"

static int read_both(const char *events, const char *hits, struct kprobe_profile *ret)
{
	tree_file("/kprobe_events", events);
	tree_file("/kprobe_profile", hits);
	return kprobe_profile_read(tree_fd(), "mine", ret);
}

static void sums_its_own_probes(void **state)
{
	struct kprobe_profile profile = { 0 };
	int r = read_both(
		"p:other/a vfs_read\nr128:mine/a vfs_read ret=$retval\np:mine/b vfs_write\n"
		"p:mine2/c vfs_open\n",
		"  a            5     0\n  a         7    2\n  b      1   40\n  c  9 9\n",
		&profile);

	require(r != -ENOMEM);
	assert_int_equal(r, 0);
	assert_int_equal(profile.n, 2);
	assert_int_equal(profile.returns, 7);
	assert_int_equal(profile.entries, 1);
	assert_int_equal(profile.missed, 42);
}

static void detects_mismatched_lines(void **state)
{
	struct kprobe_profile profile;

	require_memory();
	assert_int_equal(read_both("p:mine/a vfs_read\np:mine/b x\n", "  a 5 0\n", &profile),
			 -EAGAIN);
	assert_int_equal(read_both("p:mine/a vfs_read\n", "  b 5 0\n", &profile), -EAGAIN);
	assert_int_equal(read_both("p:mine/a vfs_read\n", "  a 5\n", &profile), -EAGAIN);
	assert_int_equal(read_both("", "", &profile), 0);
	assert_int_equal(profile.n, 0);
}

static void finds_functions_that_cannot_be_probed(void **state)
{
	struct strbuf list = { 0 };
	int r;

	tree_file("/sys/kernel/debug/kprobes/blacklist",
		  "0x10-0x20\tdo_int3\n0x30-0x40\tasm_exc\n");
	r = kprobe_blacklist_read(tree_root(), &list);
	if (r == 0) {
		assert_true(kprobe_blacklist_has(&list, "do_int3"));
		assert_true(kprobe_blacklist_has(&list, "asm_exc"));
		assert_false(kprobe_blacklist_has(&list, "int3"));
		assert_false(kprobe_blacklist_has(&list, "do_int"));
		assert_false(kprobe_blacklist_has(&list, ""));
	} else {
		assert_true(r == -ENOMEM && mem_fault);
	}
	strbuf_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sums_its_own_probes, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(finds_functions_that_cannot_be_probed, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(detects_mismatched_lines, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
