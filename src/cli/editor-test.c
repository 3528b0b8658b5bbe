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
#include "base/file.h"
#include "base/user.h"
#include "cli/editor.h"

/* In @out the editor, who may be another user, notes what it got. */
struct place {
	char in[64], out[64], source[80], said[80];
};

static void place_make(struct place *place)
{
	*place =
		(struct place){ .in = "/tmp/editor-test.XXXXXX", .out = "/tmp/editor-test.XXXXXX" };
	int fd;

	assert_non_null(mkdtemp(place->in));
	assert_non_null(mkdtemp(place->out));
	assert_int_equal(chmod(place->in, 0755), 0);
	assert_int_equal(chmod(place->out, 0777), 0);
	snprintf(place->source, sizeof(place->source), "%s/-x;y.c", place->in);
	snprintf(place->said, sizeof(place->said), "%s/said", place->out);
	fd = open(place->source, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	close(fd);
}

static void place_remove(const struct place *place)
{
	unlink(place->source);
	unlink(place->said);
	rmdir(place->in);
	rmdir(place->out);
}

/* What the editor has noted. */
static void expect_said(const struct place *place, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	assert_int_equal(file_read(AT_FDCWD, place->said, &text), 0);
	assert_string_equal(strbuf_str(&text), expected);
}

static void set_editor(const struct place *place, const char *what)
{
	char command[512];

	snprintf(command, sizeof(command), "f() { %s; } >%s; f", what, place->said);
	unsetenv("VISUAL");
	setenv("EDITOR", command, 1);
}

static void test_name_is_absolute(void **state)
{
	_cleanup_strbuf_ struct strbuf answer = { 0 };
	struct place place;
	char expected[256];

	place_make(&place);
	set_editor(&place, "printf '%s\\n' \"$@\"");
	assert_int_equal(chdir(place.in), 0);
	assert_int_equal(editor_run("-x;y.c", 7, &answer), 0);
	snprintf(expected, sizeof(expected), "+7\n%s\n", place.source);
	expect_said(&place, expected);
	assert_int_equal(chdir("/"), 0);
	place_remove(&place);
}

static void test_what_is_no_file_is_refused(void **state)
{
	_cleanup_strbuf_ struct strbuf answer = { 0 };
	struct place place;

	place_make(&place);
	set_editor(&place, "echo ran");
	assert_int_equal(editor_run("/dev/null", 1, &answer), -EINVAL);
	assert_int_equal(editor_run(place.in, 1, &answer), -EINVAL);
	assert_int_equal(editor_run("/nowhere", 1, &answer), -ENOENT);
	assert_true(access(place.said, F_OK) < 0);
	place_remove(&place);
}

/* Root is left behind; without root there is nobody to become. */
static void test_runs_as_the_caller(void **state)
{
	_cleanup_strbuf_ struct strbuf answer = { 0 };
	char text[64], expected[128];
	struct place place;
	struct user user;

	assert_int_equal(user_find("nobody", &user, NULL), 0);
	snprintf(text, sizeof(text), "%u", user.uid);
	setenv("SUDO_UID", text, 1);
	snprintf(text, sizeof(text), "%u", user.gid);
	setenv("SUDO_GID", text, 1);
	setenv("SUDO_USER", "nobody", 1);
	place_make(&place);
	set_editor(&place, "id -u; id -G; [ -e /proc/self/fd/50 ] && echo leak");
	assert_int_equal(dup2(0, 50), 50);
	/* The test of the descriptor that has to fail is the last. */
	assert_int_equal(editor_run(place.source, 1, &answer), -ECANCELED);
	close(50);
	if (geteuid() == 0) {
		snprintf(expected, sizeof(expected), "%u\n%u\n", user.uid, user.gid);
		expect_said(&place, expected);
	}
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
	place_remove(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_is_absolute),
		cmocka_unit_test(test_what_is_no_file_is_refused),
		cmocka_unit_test(test_runs_as_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
