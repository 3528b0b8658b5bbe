/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/command/command-path.h"

static char root[] = "/tmp/command-path-test.XXXXXX";

static void make(const char *name, mode_t mode)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (S_ISDIR(mode)) {
		assert_int_equal(mkdir(path, 0755), 0);
		return;
	}
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	close(fd);
}

static void set_path(const char *format)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), format, root, root, root);
	setenv("PATH", path, 1);
}

static void expect(const char *name, const char *expected)
{
	char path[PATH_MAX], full[PATH_MAX];

	snprintf(full, sizeof(full), "%s/%s", root, expected);
	assert_int_equal(command_path_find(name, path, sizeof(path)), 0);
	assert_string_equal(path, expected[0] == '.' ? expected : full);
}

static void test_search_equals_execvp(void **state)
{
	char path[PATH_MAX];

	set_path("/nowhere:%s/a:%s/b");
	expect("plain", "a/plain");
	expect("later", "b/later");
	/* A directory and a file without execute permission are skipped. */
	expect("folder", "b/folder");
	expect("closed", "b/closed");
	set_path("%s/b:%s/a");
	expect("plain", "b/plain");
	assert_int_equal(chdir(root), 0);
	set_path("/nowhere:");
	expect("here", "./here");
	assert_int_equal(command_path_find("a/plain", path, sizeof(path)), 0);
	assert_string_equal(path, "a/plain");
	assert_int_equal(chdir("/"), 0);
}

static void test_not_found(void **state)
{
	char path[PATH_MAX], small[8];

	set_path("/nowhere:%s/a");
	assert_int_equal(command_path_find("missing", path, sizeof(path)), -ENOENT);
	assert_int_equal(command_path_find("", path, sizeof(path)), -ENOENT);
	assert_int_equal(command_path_find("closed", path, sizeof(path)), -EACCES);
	assert_int_equal(command_path_find("/a/long/name", small, sizeof(small)), -ENAMETOOLONG);
	unsetenv("PATH");
	assert_int_equal(command_path_find("sh", path, sizeof(path)), 0);
	assert_string_equal(path, "/bin/sh");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search_equals_execvp),
		cmocka_unit_test(test_not_found),
	};
	char command[64];
	int r;

	if (!mkdtemp(root))
		return 1;
	make("a", S_IFDIR);
	make("b", S_IFDIR);
	make("a/folder", S_IFDIR);
	make("a/plain", 0755);
	make("a/closed", 0644);
	make("b/plain", 0755);
	make("b/later", 0755);
	make("b/folder", 0755);
	make("b/closed", 0755);
	make("here", 0755);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "/bin/rm -rf %s", root);
	setenv("PATH", "/bin:/usr/bin", 1);
	return system(command) == 0 ? r : 1;
}
