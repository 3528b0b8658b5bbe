/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/new-file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "test.h"

static const char *root;
static char target[256], other[256];

static int set_up(void **state)
{
	root = tree_make();
	snprintf(target, sizeof(target), "%s/target", root);
	snprintf(other, sizeof(other), "%s/link", root);
	return 0;
}

static int tear_down(void **state)
{
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
};

static int run(void *arg)
{
	const struct request *request = arg;
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	int r = new_file_open(&file, request->path, request->flags, NULL);

	if (r < 0)
		return r;
	assert_int_equal(write(file.fd, request->text, strlen(request->text)),
			 strlen(request->text));
	return request->commit ? new_file_commit(&file, NULL) : 0;
}

static void replaces_when_it_is_whole(void **state)
{
	for (unsigned flags = 0; flags <= NEW_FILE_NAMED; flags++) {
		struct request request = { target, "new", flags, true };
		struct request dropped = { target, "dropped", flags, false };

		if (run(&request) == -ENOMEM)
			return;
		has_text(target, "new");
		assert_int_equal(files_there(), 1);
		if (run(&dropped) == 0)
			has_text(target, "new");
		request.text = "newer";
		if (run(&request) == 0)
			has_text(target, "newer");
		assert_int_equal(files_there(), 1);
		unlink(target);
		if (run(&dropped) == 0)
			assert_int_equal(files_there(), 0);
	}
}

static void keeps_mode_and_links(void **state)
{
	struct request request = { other, "through", 0, true };
	struct stat st;

	tree_file("/target", "old");
	tree_link("/link", "target");
	assert_int_equal(chmod(target, 0640), 0);
	if (run(&request) < 0)
		return;
	has_text(target, "through");
	assert_int_equal(lstat(other, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void refuses_what_is_no_file(void **state)
{
	struct request request = { "/dev/null", "", 0, true };
	struct fathom_err err = { 0 };
	struct new_file file;

	if (new_file_open(&file, "/dev/null", 0, &err) == -EINVAL)
		assert_string_equal(fathom_err_text(&err), "'/dev/null' is no plain file; name a "
							   "plain file to write to");
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
		cmocka_unit_test_setup_teardown(replaces_when_it_is_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_mode_and_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_is_no_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
