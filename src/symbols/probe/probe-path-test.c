/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/probe/probe-path.h"

static const char *in_root(const char *name)
{
	static char path[4][128];
	static unsigned at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", tree_root(), name);
	return path[at];
}

/* Only relevant for root, who alone can change owners. */
static void check_as_root(void)
{
	assert_true(probe_path_is_firm("/bin/sh"));
	assert_true(probe_path_is_firm(in_root("own/file")));
	assert_false(probe_path_is_firm(in_root("missing")));
	assert_false(probe_path_is_firm("relative"));
	/* A link to a directory of another user. */
	assert_int_equal(symlink(in_root("others/file"), in_root("own/link")), 0);
	assert_int_equal(chown(in_root("others"), 4321, 4321), 0);
	assert_false(probe_path_is_firm(in_root("others/file")));
	assert_false(probe_path_is_firm(in_root("own/link")));
	/* In a world-writable directory, the owner of the file matters. */
	assert_int_equal(chmod(in_root("own"), 01777), 0);
	assert_true(probe_path_is_firm(in_root("own/file")));
	assert_int_equal(chown(in_root("own/file"), 4321, 4321), 0);
	assert_false(probe_path_is_firm(in_root("own/file")));
	assert_int_equal(chmod(in_root("own"), 0777), 0);
	assert_int_equal(chown(in_root("own/file"), 0, 0), 0);
	assert_false(probe_path_is_firm(in_root("own/file")));
}

static void test_paths_of_other_users(void **state)
{
	if (geteuid() == 0)
		check_as_root();
}

/* The path refers to the file that was opened, even if its name was reused. */
static void test_path_refers_to_the_opened_file(void **state)
{
	int fd = open(in_root("others/file"), O_RDONLY | O_CLOEXEC);
	struct stat opened, named;
	struct arena arena = { 0 };
	const char *path;

	assert_true(fd >= 0);
	if (geteuid() == 0)
		assert_int_equal(chown(in_root("others"), 4321, 4321), 0);
	path = probe_path(fd, in_root("others/file"), &arena);
	assert_non_null(path);
	assert_int_equal(strncmp(path, "/proc/", 6) == 0, geteuid() == 0);
	if (geteuid() == 0)
		assert_int_equal(rename(in_root("own/file"), in_root("others/file")), 0);
	assert_int_equal(fstat(fd, &opened), 0);
	close(fd);
	assert_int_equal(stat(path, &named), 0);
	assert_int_equal(opened.st_ino, named.st_ino);
	arena_done(&arena);
}

static int make_files(void **state)
{
	tree_make();
	tree_file("/own/file", "");
	tree_file("/others/file", "");
	return 0;
}

static int remove_files(void **state)
{
	tree_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_of_other_users),
		cmocka_unit_test(test_path_refers_to_the_opened_file),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
