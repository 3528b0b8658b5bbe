/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/plain-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "test.h"

static char path[300];

static int set_up(void **state)
{
	const char *root = tree_make();

	tree_file("/plain", "text\n");
	tree_dir("/directory");
	snprintf(path, sizeof(path), "%s/pipe", root);
	if (mkfifo(path, 0600) < 0)
		return -1;
	return chdir(root);
}

static int tear_down(void **state)
{
	tree_remove();
	return chdir("/");
}

static void opens_plain_files(void **state)
{
	_cleanup_close_ int fd = -1, by_link = -1;
	struct fathom_err err = { 0 };
	char text[8] = "";

	fd = plain_file_open("plain", &err);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_string_equal(text, "text\n");
	assert_int_equal(symlink("plain", "link"), 0);
	by_link = plain_file_open("link", &err);
	assert_true(by_link >= 0);
}

static void refuses_all_else(void **state)
{
	struct fathom_err err = { 0 };

	assert_int_equal(plain_file_open("directory", &err), -EISDIR);
	assert_string_equal(fathom_err_text(&err), "cannot read 'directory': it is a directory");
	assert_int_equal(plain_file_open("/dev/null", &err), -ESPIPE);
	assert_string_equal(fathom_err_text(&err), "cannot read '/dev/null': it is no plain file");
	assert_int_equal(plain_file_open("nothing", &err), -ENOENT);
	assert_non_null(strstr(fathom_err_text(&err), "cannot open 'nothing'"));
}

/* An open, as inotify sees it, would have effects. */
static void does_not_touch_what_it_refuses(void **state)
{
	_cleanup_close_ int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	struct fathom_err err = { 0 };
	char events[1024];

	assert_true(watch >= 0);
	assert_true(inotify_add_watch(watch, "pipe", IN_OPEN) >= 0);
	assert_int_equal(symlink("pipe", "to-pipe"), 0);
	assert_int_equal(plain_file_open("pipe", &err), -ESPIPE);
	assert_int_equal(plain_file_open("to-pipe", &err), -ESPIPE);
	assert_int_equal(read(watch, events, sizeof(events)), -1);
	assert_int_equal(errno, EAGAIN);
	/* It would see one. */
	close(open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	assert_true(read(watch, events, sizeof(events)) > 0);
}

static void can_leave_links_alone(void **state)
{
	struct stat st;

	assert_int_equal(symlink("plain", "another"), 0);
	assert_int_equal(plain_file_find("another", O_NOFOLLOW, &st), -ELOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(opens_plain_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_all_else, set_up, tear_down),
		cmocka_unit_test_setup_teardown(does_not_touch_what_it_refuses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(can_leave_links_alone, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
