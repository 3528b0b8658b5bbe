/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "record/session/session-output.h"
#include "tree.h"

#define LOCK  "pos:\t0\nflags:\t02100002\nlock:\t1: FLOCK  ADVISORY  WRITE 77 fe:00:12 0 EOF\n"
#define PLAIN "pos:\t0\nflags:\t0100000\n"

/* A descriptor of process 77: its file and its fdinfo. */
static void add(const char *root, const char *number, const char *file, const char *info)
{
	_cleanup_free_ char *fd = mem_printf("/proc/77/fd/%s", number);
	_cleanup_free_ char *fdinfo = mem_printf("/proc/77/fdinfo/%s", number);
	_cleanup_free_ char *target = mem_printf("%s%s", *file == '/' ? root : "", file);

	if (!fd || !fdinfo || !target)
		return;
	tree_link(fd, target);
	tree_file(fdinfo, info);
}

static void finds_the_locked_file(void **state)
{
	const char *root = tree_make();
	_cleanup_free_ char *path = NULL;
	int r;

	tree_dir("/proc/77/fd");
	tree_dir("/proc/77/fdinfo");
	tree_file("/work/read.dat", "");
	tree_file("/work/trace.dat", "");
	tree_dir("/work/folder");
	add(root, "3", "/work/read.dat", PLAIN);
	add(root, "4", "/work/folder", LOCK);
	add(root, "5", "pipe:[123]", LOCK);
	r = session_output(root, 77, &path);
	if (succeeds(r != -ENOMEM))
		assert_int_equal(r, -ENOENT);
	assert_null(path);
	add(root, "7", "/work/trace.dat", LOCK);
	r = session_output(root, 77, &path);
	if (succeeds(r != -ENOMEM)) {
		assert_int_equal(r, 0);
		assert_non_null(strstr(path, "/work/trace.dat"));
	}
	tree_remove();
}

/* Files that were created without a name, by this process. */
static void finds_the_later_name(void **state)
{
	const char *root = tree_make();
	_cleanup_free_ char *name = mem_printf("%s/later.dat", root), *path = NULL;
	_cleanup_close_ int fd = open(root, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char self[64];
	int r;

	require(name);
	if (fd < 0) {
		tree_remove();
		skip_because("no O_TMPFILE in this file system");
	}
	assert_int_equal(flock(fd, LOCK_EX), 0);
	r = session_output("", getpid(), &path);
	assert_true(r == -ENOENT || r == -ENOMEM);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	assert_int_equal(linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW), 0);
	r = session_output("", getpid(), &path);
	if (succeeds(r != -ENOMEM)) {
		assert_int_equal(r, 0);
		assert_string_equal(path, name);
	}
	tree_remove();
}

static void no_such_process(void **state)
{
	const char *root = tree_make();
	char *path = NULL;
	int r = session_output(root, 78, &path);

	assert_true(r == -ENOENT || r == -ENOMEM);
	assert_null(path);
	tree_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_locked_file),
		cmocka_unit_test(finds_the_later_name),
		cmocka_unit_test(no_such_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
