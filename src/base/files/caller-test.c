/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "claimed-caller.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/caller.h"
#include "base/cleanup.h"

static void check_lies(const struct user *somebody)
{
	char uid[16], gid[16];
	struct user user;

	snprintf(uid, sizeof(uid), "%u", somebody->uid);
	snprintf(gid, sizeof(gid), "%u", somebody->gid);
	claim("0", "0", "root");
	assert_int_equal(caller_find(&user), 0);
	claim(uid, gid, "root");
	assert_int_equal(caller_find(&user), -EINVAL);
	claim(uid, "0", SOMEBODY);
	assert_int_equal(caller_find(&user), -EINVAL);
	claim("0", gid, SOMEBODY);
	assert_int_equal(caller_find(&user), -EINVAL);
	claim(uid, gid, NULL);
	assert_int_equal(caller_find(&user), -EINVAL);
	claim("-1", gid, SOMEBODY);
	assert_int_equal(caller_find(&user), -EINVAL);
	claim("4294967295", gid, SOMEBODY);
	assert_int_equal(caller_find(&user), -EINVAL);
	claim("0x0", "0", "root");
	assert_int_equal(caller_find(&user), -EINVAL);
	claim("", "", "");
	assert_int_equal(caller_find(&user), -EINVAL);
}

static void test_caller_is_checked(void **state)
{
	struct user somebody, user;

	claim(NULL, NULL, NULL);
	assert_int_equal(caller_find(&user), 0);
	somebody = claim_somebody();
	assert_int_equal(caller_find(&user), geteuid() == 0);
	if (geteuid() == 0) {
		assert_int_equal(user.uid, somebody.uid);
		assert_string_equal(user.home, somebody.home);
		check_lies(&somebody);
	}
}

static void check_distrust(void)
{
	struct user user = claim_somebody();
	struct stat st = { .st_uid = 0, .st_gid = 0, .st_mode = S_IFREG | 0644 };

	assert_true(caller_trusts(&st));
	st.st_uid = user.uid;
	assert_true(caller_trusts(&st));
	st.st_uid = user.uid + 1;
	assert_false(caller_trusts(&st));
	st.st_uid = 0;
	st.st_mode = S_IFREG | 0646;
	assert_false(caller_trusts(&st));
	st.st_mode = S_IFREG | 0664;
	assert_true(caller_trusts(&st));
	st.st_gid = user.gid; /* The group is called nogroup, not nobody. */
	assert_false(caller_trusts(&st));
	claim(NULL, NULL, NULL);
	st = (struct stat){ .st_uid = user.uid, .st_mode = S_IFREG | 0644 };
	assert_false(caller_trusts(&st));
}

static void test_files_of_other_users_are_not_trusted(void **state)
{
	struct stat st = { .st_uid = 7, .st_mode = S_IFREG | 0666 };

	assert_int_equal(caller_trusts(&st), geteuid() != 0);
	if (geteuid() == 0)
		check_distrust();
}

static void test_only_regular_files_are_opened(void **state)
{
	char dir[] = "/tmp/caller-test.XXXXXX", path[64];
	int fd;

	claim(NULL, NULL, NULL);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	close(fd);
	fd = caller_open(path);
	assert_true(fd >= 0);
	close(fd);
	if (geteuid() == 0) {
		chmod(path, 0666);
		assert_int_equal(caller_open(path), -EPERM);
		chmod(path, 0644);
		chmod(dir, 0777);
		assert_int_equal(caller_open(path), -EPERM);
		chmod(dir, 0700);
	}
	unlink(path);
	assert_int_equal(caller_open(path), -ENOENT);
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_int_equal(caller_open(path), -EINVAL);
	unlink(path);
	assert_int_equal(caller_open(dir), -EINVAL);
	assert_int_equal(caller_open("/dev/null"), -EINVAL);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caller_is_checked),
		cmocka_unit_test(test_files_of_other_users_are_not_trusted),
		cmocka_unit_test(test_only_regular_files_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
