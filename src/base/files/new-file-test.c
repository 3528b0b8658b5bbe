/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files/new-file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "test.h"

static const char *root;
static int root_fd;
static char target[256], other[256];

static int set_up(void **state)
{
	root = tree_make();
	root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(target, sizeof(target), "%s/target", root);
	snprintf(other, sizeof(other), "%s/link", root);
	return 0;
}

static int tear_down(void **state)
{
	close(root_fd);
	tree_remove();
	return 0;
}

static unsigned files_there(void)
{
	_cleanup_closedir_ DIR *dir = opendir(root);
	struct dirent *entry;
	unsigned n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	return n;
}

static void has_text(const char *path, const char *text)
{
	char line[64] = "";

	file_read_line(AT_FDCWD, path, line, sizeof(line));
	assert_string_equal(line, text);
}

struct request {
	const char *path;
	const char *text;
	unsigned flags;
	bool commit;
	mode_t mode;
};

static int run(void *arg)
{
	const struct request *request = arg;
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	int r = new_file_open(&file, request->path, request->flags, request->mode, NULL);

	if (r < 0)
		return r;
	assert_int_equal(write(file.fd, request->text, strlen(request->text)),
			 strlen(request->text));
	return request->commit ? new_file_commit(&file, NULL) : 0;
}

static void replaces_only_when_complete(void **state)
{
	for (unsigned flags = 0; flags <= NEW_FILE_NAMED; flags++) {
		struct request request = { target, "new", flags, true };
		struct request dropped = { target, "dropped", flags, false };

		require(run(&request) != -ENOMEM);
		has_text(target, "new");
		assert_int_equal(files_there(), 1);
		if (run(&dropped) == 0)
			has_text(target, "new");
		request.text = "newer";
		if (run(&request) == 0)
			has_text(target, "newer");
		assert_int_equal(files_there(), 1);
		unlink(target);
		if (succeeds(run(&dropped) == 0))
			assert_int_equal(files_there(), 0);
	}
}

static void has_mode(const char *path, mode_t mode, uid_t uid)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, mode);
	assert_int_equal(st.st_uid, uid);
}

static void follows_links_of_a_private_directory(void **state)
{
	struct request request = { other, "through", 0, true };
	struct stat st;

	tree_file("/target", "old");
	tree_link("/link", "target");
	require(run(&request) >= 0);
	has_text(target, "through");
	assert_int_equal(lstat(other, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void is_private_to_its_owner(void **state)
{
	for (unsigned flags = 0; flags <= NEW_FILE_NAMED; flags++) {
		struct request request = { target, "new", flags, true };
		mode_t mask = umask(0);

		if (run(&request) == 0)
			has_mode(target, 0600, geteuid());
		/* Neither the previous mode nor the umask applies. */
		assert_int_equal(chmod(target, 0666), 0);
		if (run(&request) == 0)
			has_mode(target, 0600, geteuid());
		umask(0777);
		request.mode = 0640;
		if (run(&request) == 0)
			has_mode(target, 0640, geteuid());
		umask(mask);
	}
}

static void belongs_to_the_sudo_caller(void **state)
{
	struct request request = { target, "new", 0, true };
	const struct passwd *user;
	char uid[16], gid[16];

	tree_file("/target", "old");
	if (chown(target, 23456, 23456) < 0)
		skip_because("only root can give a file away");
	if (run(&request) == 0)
		has_mode(target, 0600, 0);
	user = getpwnam("nobody");
	if (!user)
		skip_because("no user 'nobody'");
	snprintf(uid, sizeof(uid), "%u", user->pw_uid);
	snprintf(gid, sizeof(gid), "%u", user->pw_gid);
	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", gid, 1);
	setenv("SUDO_USER", "nobody", 1);
	if (run(&request) == 0)
		has_mode(target, 0600, user->pw_uid);
	request.flags = NEW_FILE_OURS;
	if (run(&request) == 0)
		has_mode(target, 0600, 0);
	request.flags = 0;
	setenv("SUDO_UID", "12345x", 1);
	if (run(&request) == 0)
		has_mode(target, 0600, 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
}

/* Replacing the directory in the meantime has no effect. */
static void stays_in_its_directory(void **state)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	char path[300], moved[300], away[300];

	snprintf(path, sizeof(path), "%s/dir/target", root);
	snprintf(moved, sizeof(moved), "%s/moved/target", root);
	snprintf(away, sizeof(away), "%s/away/target", root);
	tree_dir("/dir");
	tree_dir("/away");
	tree_file("/away/target", "precious");
	/* The second time, it replaces the first file. */
	for (int i = 0; i < 2; i++) {
		require(new_file_open(&file, path, 0, 0, NULL) >= 0);
		assert_int_equal(renameat(root_fd, "dir", root_fd, "moved"), 0);
		tree_link("/dir", "away");
		assert_int_equal(write(file.fd, i ? "newer" : "new", i ? 5 : 3), i ? 5 : 3);
		if (new_file_commit(&file, NULL) == 0)
			has_text(moved, i ? "newer" : "new");
		has_text(away, "precious");
		new_file_done(&file);
		tree_unlink("/dir");
		assert_int_equal(renameat(root_fd, "moved", root_fd, "dir"), 0);
	}
}

/* A file created after the first check is checked again. */
static void detects_a_file_created_late(void **state)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;

	tree_file("/precious", "precious");
	assert_int_equal(chmod(root, 0777), 0);
	require(new_file_open(&file, target, 0, 0, NULL) >= 0);
	tree_link("/target", "precious");
	assert_true(new_file_commit(&file, NULL) < 0);
	new_file_done(&file);
	has_text(target, "precious");
	assert_int_equal(files_there(), 2);
}

static void has_a_name_early(void **state)
{
	for (unsigned flags = 0; flags <= NEW_FILE_NAMED; flags++) {
		_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
		_cleanup_new_file_ struct new_file over = NEW_FILE_NONE;

		require(new_file_open(&file, target, flags | NEW_FILE_EARLY, 0, NULL) >= 0 &&
			new_file_name(&file, NULL) >= 0);
		has_mode(target, 0600, geteuid());
		assert_int_equal(files_there(), 1);
		new_file_done(&file);
		assert_int_equal(files_there(), 0);
		tree_file("/target", "old");
		require(new_file_open(&file, target, flags | NEW_FILE_EARLY, 0, NULL) >= 0 &&
			new_file_name(&file, NULL) >= 0);
		has_text(target, "old");
		assert_int_equal(write(file.fd, "new", 3), 3);
		if (new_file_commit(&file, NULL) == 0)
			has_text(target, "new");
		require(new_file_open_over(&over, &file, NULL) >= 0);
		assert_int_equal(write(over.fd, "newer", 5), 5);
		has_text(target, "new");
		if (new_file_commit(&over, NULL) == 0)
			has_text(target, "newer");
		new_file_done(&file);
		new_file_done(&over);
		assert_int_equal(files_there(), 1);
		unlink(target);
	}
}

static void rejects_non_files(void **state)
{
	struct request request = { "/dev/null", "", 0, true };
	struct fathom_err err = { 0 };
	struct new_file file;

	if (new_file_open(&file, "/dev/null", 0, 0, &err) == -EINVAL)
		assert_string_equal(fathom_err_text(&err),
				    "cannot write '/dev/null': not a regular file; use "
				    "the path of a regular file");
	else
		assert_int_equal(err.code, -ENOMEM);
	request.path = root;
	assert_int_equal(run(&request), -EISDIR);
	request.path = "/nowhere/at/all";
	assert_true(run(&request) == -ENOENT || run(&request) == -ENOMEM);
}

static void survives_failing_allocations(void **state)
{
	struct request plain = { target, "text", 0, true };
	struct request named = { target, "text", NEW_FILE_NAMED, true };

	oom_check(run, &plain);
	oom_check(run, &named);
	assert_int_equal(files_there(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(replaces_only_when_complete, set_up, tear_down),
		cmocka_unit_test_setup_teardown(follows_links_of_a_private_directory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(is_private_to_its_owner, set_up, tear_down),
		cmocka_unit_test_setup_teardown(belongs_to_the_sudo_caller, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stays_in_its_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(detects_a_file_created_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(has_a_name_early, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_non_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
