/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/files/user.h"
#include "actions/viewer/editor.h"

/* The editor, which may run as another user, writes what it received to @out. */
static struct {
	char in[64], out[72], source[80], said[80];
} place;

static int place_make(void **state)
{
	int fd;

	snprintf(place.in, sizeof(place.in), "%s", tree_make());
	snprintf(place.out, sizeof(place.out), "%s/out", place.in);
	snprintf(place.source, sizeof(place.source), "%s/-x;y.c", place.in);
	snprintf(place.said, sizeof(place.said), "%s/said", place.out);
	tree_dir("/out");
	if (chmod(place.in, 0755) < 0 || chmod(place.out, 0777) < 0)
		return -1;
	fd = open(place.source, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	return fd < 0 ? -1 : close(fd);
}

static int place_remove(void **state)
{
	int r = chdir("/");

	tree_remove();
	return r;
}

/* The text written by the editor. */
static void expect_said(const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	assert_int_equal(file_read(AT_FDCWD, place.said, &text), 0);
	assert_string_equal(strbuf_str(&text), expected);
}

static void set_editor(const char *what)
{
	char command[512];

	snprintf(command, sizeof(command), "f() { %s; } >%s; f", what, place.said);
	unsetenv("VISUAL");
	setenv("EDITOR", command, 1);
}

static void test_name_is_absolute(void **state)
{
	_cleanup_strbuf_ struct strbuf answer = { 0 };
	char expected[256];

	set_editor("printf '%s\\n' \"$@\"");
	assert_int_equal(chdir(place.in), 0);
	assert_int_equal(editor_run("-x;y.c", 7, &answer), 0);
	snprintf(expected, sizeof(expected), "+7\n%s\n", place.source);
	expect_said(expected);
}

static void test_non_files_are_rejected(void **state)
{
	_cleanup_strbuf_ struct strbuf answer = { 0 };

	set_editor("echo ran");
	assert_int_equal(editor_run("/dev/null", 1, &answer), -EINVAL);
	assert_int_equal(editor_run(place.in, 1, &answer), -EINVAL);
	assert_int_equal(editor_run("/nowhere", 1, &answer), -ENOENT);
	assert_true(access(place.said, F_OK) < 0);
}

/* Root privileges are dropped; without root there is no other user to become. */
static void test_runs_as_the_caller(void **state)
{
	_cleanup_strbuf_ struct strbuf answer = { 0 };
	char text[64], expected[128];
	struct user user;

	assert_int_equal(user_find("nobody", &user, NULL), 0);
	snprintf(text, sizeof(text), "%u", user.uid);
	setenv("SUDO_UID", text, 1);
	snprintf(text, sizeof(text), "%u", user.gid);
	setenv("SUDO_GID", text, 1);
	setenv("SUDO_USER", "nobody", 1);
	set_editor("id -u; id -G; [ -e /proc/self/fd/50 ] && echo leak");
	assert_int_equal(dup2(0, 50), 50);
	/* The check of the descriptor, which must fail, comes last. */
	assert_int_equal(editor_run(place.source, 1, &answer), -ECANCELED);
	close(50);
	if (geteuid() == 0) {
		snprintf(expected, sizeof(expected), "%u\n%u\n", user.uid, user.gid);
		expect_said(expected);
	}
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, place_make, place_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_name_is_absolute),
		TEST(test_non_files_are_rejected),
		TEST(test_runs_as_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
