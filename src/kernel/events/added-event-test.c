/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/files/file.h"
#include "kernel/events/added-event.h"

static int make(void **state)
{
	int r = tree_setup(state);

	tree_file("/dynamic_events", "");
	return r;
}

static void expect_name(const char *definition, const char *expected)
{
	char name[ADDED_EVENT_NAME_SIZE];

	if (!expected) {
		if (added_event_name(definition, name, sizeof(name)) != -EINVAL)
			fail_msg("'%s' was taken", definition);
		return;
	}
	assert_int_equal(added_event_name(definition, name, sizeof(name)), 0);
	assert_string_equal(name, expected);
}

static void extracts_the_name(void **state)
{
	expect_name("p:g/n vfs_read", "g/n");
	expect_name("r100:g/n vfs_read", "g/n");
	expect_name("e:g/n sched/sched_switch", "g/n");
	expect_name("s:lat u64 d; int p", "synthetic/lat");
	expect_name("s:synthetic/lat u64 d", "synthetic/lat");
	expect_name("p vfs_read", NULL);
	expect_name("p:n vfs_read", NULL);
	expect_name("p:g/../n vfs_read", NULL);
	expect_name("p:g/n/m vfs_read", NULL);
	expect_name("-:g/n", NULL);
	expect_name("", NULL);
	expect_name("px:g/n vfs", NULL);
}

static void adds_new_events(void **state)
{
	char line[64];
	int r = added_event_make(tree_fd(), "p:g/n vfs_read");

	require(r != -ENOMEM);
	assert_int_equal(r, 0);
	file_read_line(tree_fd(), "dynamic_events", line, sizeof(line));
	assert_string_equal(line, "p:g/n vfs_read");
	tree_file("/events/g/n/enable", "0");
	assert_int_equal(added_event_make(tree_fd(), "p:g/n vfs_write"), -EEXIST);
	assert_int_equal(added_event_make(tree_fd(), "p:g/m vfs_read\n-:g/x"), -EINVAL);
}

static void removes_existing_events(void **state)
{
	char line[64];

	assert_int_equal(added_event_remove(tree_fd(), "g/n", 0), 0);
	tree_file("/events/g/n/enable", "0");
	added_event_remove(tree_fd(), "g/n", 0);
	file_read_line(tree_fd(), "dynamic_events", line, sizeof(line));
	assert_string_equal(line, "-:g/n");
	assert_int_equal(added_event_remove(tree_fd(), "g/n\n-:x/y", 0), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extracts_the_name),
		cmocka_unit_test_setup_teardown(adds_new_events, make, tree_teardown),
		cmocka_unit_test_setup_teardown(removes_existing_events, make, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
