/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files/plain-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

static void rejects_other_files(void **state)
{
	struct fathom_err err = { 0 };

	assert_int_equal(plain_file_open("directory", &err), -EISDIR);
	assert_string_equal(fathom_err_text(&err), "cannot read 'directory': is a directory");
	assert_int_equal(plain_file_open("/dev/null", &err), -ESPIPE);
	assert_string_equal(fathom_err_text(&err), "cannot read '/dev/null': not a regular file");
	assert_int_equal(plain_file_open("nothing", &err), -ENOENT);
	assert_non_null(strstr(fathom_err_text(&err), "cannot open 'nothing'"));
}

/* inotify reports an open, which can have side effects. */
static void does_not_open_rejected_files(void **state)
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
	/* It would report one. */
	close(open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	assert_true(read(watch, events, sizeof(events)) > 0);
}

static void can_reject_links(void **state)
{
	struct stat st;

	assert_int_equal(symlink("plain", "another"), 0);
	assert_int_equal(plain_file_find("another", O_NOFOLLOW, &st), -ELOOP);
}

/* Its root directory is the tree. Exits with the test. */
static pid_t start_in_tree(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(".") == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(".") == 0))
			byte = (char)write(ready[1], "", 1);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static int open_in(pid_t pid, const char *name)
{
	char name_in[PATH_MAX];

	snprintf(name_in, sizeof(name_in), "/proc/%d/root/%s", (int)pid, name);
	return plain_file_open(name_in, NULL);
}

static void follows_links_like_the_process(void **state)
{
	_cleanup_close_ int absolute = -1, above = -1;
	pid_t pid = start_in_tree();
	int outside, magic;
	char text[8] = "";

	if (pid < 0)
		skip_because("neither chroot() nor a user namespace is allowed");
	assert_int_equal(symlink("/plain", "absolute"), 0);
	assert_int_equal(symlink("directory/../../../plain", "above"), 0);
	assert_int_equal(symlink("/etc/passwd", "outside"), 0);
	assert_int_equal(symlink("/proc/self/exe", "magic"), 0);
	absolute = open_in(pid, "absolute");
	above = open_in(pid, "above");
	outside = open_in(pid, "outside");
	magic = open_in(pid, "magic");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(absolute >= 0);
	assert_int_equal(read(absolute, text, sizeof(text)), 5);
	assert_string_equal(text, "text\n");
	assert_true(above >= 0);
	assert_int_equal(outside, -ENOENT);
	assert_int_equal(magic, -ENOENT);
	assert_int_equal(open_in(pid, "plain"), -ENOENT);
}

static void recognizes_process_paths(void **state)
{
	assert_string_equal(plain_file_in_process("/proc/12/root/usr/lib/a"), "usr/lib/a");
	assert_null(plain_file_in_process("/proc/12/root"));
	assert_null(plain_file_in_process("/proc/self/root/a"));
	assert_null(plain_file_in_process("/proc/12/exe"));
	assert_null(plain_file_in_process("/home/proc/12/root/a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(opens_plain_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_other_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(does_not_open_rejected_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(can_reject_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(follows_links_like_the_process, set_up, tear_down),
		cmocka_unit_test(recognizes_process_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
