/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <unistd.h>

#include "kernel/tracefs/instance-dir.h"

static int make(void **state)
{
	int r = tree_setup(state);

	tree_dir("/instances");
	return r;
}

static void creates_and_removes_instances(void **state)
{
	int fd;

	assert_int_equal(instance_dir_make(tree_fd(), "one"), 0);
	assert_int_equal(instance_dir_make(tree_fd(), "one"), -EEXIST);
	fd = instance_dir_open(tree_fd(), "one");
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(instance_dir_remove(tree_fd(), "one", 0), 0);
	assert_int_equal(instance_dir_remove(tree_fd(), "one", 0), 0);
	assert_int_equal(instance_dir_open(tree_fd(), "one"), -ENOENT);
	tree_file("/instances/two/file", "");
	assert_int_equal(instance_dir_remove(tree_fd(), "two", 0), -ENOTEMPTY);
}

static void rejects_invalid_names(void **state)
{
	static const char *const names[] = { "", ".", "..", "../x", "a/b", ".x", "a\nb" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(instance_dir_make(tree_fd(), names[i]), -EINVAL);
		assert_int_equal(instance_dir_open(tree_fd(), names[i]), -EINVAL);
		assert_int_equal(instance_dir_remove(tree_fd(), names[i], 0), -EINVAL);
	}
	tree_link("/instances/link", "/tmp");
	assert_true(instance_dir_open(tree_fd(), "link") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(creates_and_removes_instances, make, tree_teardown),
		cmocka_unit_test_setup_teardown(rejects_invalid_names, make, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
