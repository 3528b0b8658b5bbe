/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "kernel/instance-dir.h"

static int dir = -1;

static int make(void **state)
{
	dir = open(tree_make(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tree_dir("/instances");
	return dir < 0 ? -1 : 0;
}

static int clean(void **state)
{
	close(dir);
	tree_remove();
	return 0;
}

static void makes_and_removes_instances(void **state)
{
	int fd;

	assert_int_equal(instance_dir_make(dir, "one"), 0);
	assert_int_equal(instance_dir_make(dir, "one"), -EEXIST);
	fd = instance_dir_open(dir, "one");
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(instance_dir_remove(dir, "one", 0), 0);
	assert_int_equal(instance_dir_remove(dir, "one", 0), 0);
	assert_int_equal(instance_dir_open(dir, "one"), -ENOENT);
	tree_file("/instances/two/file", "");
	assert_int_equal(instance_dir_remove(dir, "two", 0), -ENOTEMPTY);
}

static void refuses_odd_instances(void **state)
{
	static const char *const names[] = { "", ".", "..", "../x", "a/b", ".x", "a\nb" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(instance_dir_make(dir, names[i]), -EINVAL);
		assert_int_equal(instance_dir_open(dir, names[i]), -EINVAL);
		assert_int_equal(instance_dir_remove(dir, names[i], 0), -EINVAL);
	}
	tree_link("/instances/link", "/tmp");
	assert_true(instance_dir_open(dir, "link") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(makes_and_removes_instances, make, clean),
		cmocka_unit_test_setup_teardown(refuses_odd_instances, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
