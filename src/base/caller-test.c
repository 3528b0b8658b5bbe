/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/cleanup.h"

/* Exists everywhere, and is not root. */
#define SOMEBODY "nobody"

static int in_child(int (*inside)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(inside());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void claim(const char *uid, const char *gid, const char *name)
{
	const char *const names[] = { "SUDO_UID", "SUDO_GID", "SUDO_USER" };
	const char *const values[] = { uid, gid, name };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (values[i])
			setenv(names[i], values[i], 1);
		else
			unsetenv(names[i]);
}

/* As sudo would say it of SOMEBODY. */
static struct user claim_somebody(void)
{
	char uid[16], gid[16];
	struct user user;

	assert_int_equal(user_find(SOMEBODY, &user, NULL), 0);
	snprintf(uid, sizeof(uid), "%u", user.uid);
	snprintf(gid, sizeof(gid), "%u", user.gid);
	claim(uid, gid, SOMEBODY);
	return user;
}

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

/* Of a line in /proc/self/status, as "CapEff:"; -1: not found. */
static long long status_hex(const char *name)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0)
			return strtoll(line + strlen(name), NULL, 16);
	return -1;
}

static int enter_as_somebody(void)
{
	struct user user = claim_somebody();
	gid_t groups[64];
	bool was_root = geteuid() == 0;
	int n;

	dup2(0, 40);
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_KEEPCAPS, 1);
	if (caller_enter() < 0)
		return 1;
	if (fcntl(40, F_GETFD) >= 0 || fcntl(2, F_GETFD) < 0)
		return 2;
	if (signal(SIGINT, SIG_DFL) != SIG_DFL)
		return 3;
	if (!was_root)
		return getenv("LESSSECURE") ? 4 : 0;
	if (!getenv("LESSSECURE") || strcmp(getenv("LESSSECURE"), "1") != 0 ||
	    strcmp(getenv("USER"), SOMEBODY) != 0 || strcmp(getenv("HOME"), user.home) != 0)
		return 5;
	if (getuid() != user.uid || geteuid() != user.uid || getegid() != user.gid)
		return 6;
	n = getgroups(ARRAY_SIZE(groups), groups);
	for (int i = 0; i < n; i++)
		if (groups[i] == 0)
			return 7;
	if (status_hex("CapEff:") || status_hex("CapPrm:") || status_hex("CapInh:") ||
	    status_hex("CapAmb:"))
		return 8;
	return setuid(0) == 0 || seteuid(0) == 0 ? 9 : 0;
}

/* Root without capabilities but for this can still become the caller, and then has none. */
static int drop_and_enter(void)
{
	claim_somebody();
	if (caller_drop_capabilities() < 0)
		return 20;
	if (geteuid() == 0 && status_hex("CapPrm:") != 0xc0)
		return 21;
	return enter_as_somebody();
}

static int enter_with_a_lie(void)
{
	claim("0", "0", SOMEBODY);
	return geteuid() != 0 || caller_enter() == -EINVAL ? 0 : 1;
}

static void test_caller_is_entered(void **state)
{
	unsetenv("LESSSECURE");
	assert_int_equal(in_child(enter_as_somebody), 0);
	assert_int_equal(in_child(drop_and_enter), 0);
	assert_int_equal(in_child(enter_with_a_lie), 0);
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
	st.st_gid = user.gid; /* nogroup is not called as nobody is */
	assert_false(caller_trusts(&st));
	claim(NULL, NULL, NULL);
	st = (struct stat){ .st_uid = user.uid, .st_mode = S_IFREG | 0644 };
	assert_false(caller_trusts(&st));
}

static void test_files_of_others_are_not_trusted(void **state)
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
		cmocka_unit_test(test_caller_is_entered),
		cmocka_unit_test(test_files_of_others_are_not_trusted),
		cmocka_unit_test(test_only_regular_files_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
