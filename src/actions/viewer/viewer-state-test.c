/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/viewer/viewer-state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static const char *root;
static char trace[300], home[300], path[600];

static int set_up(void **state)
{
	root = tree_make();
	snprintf(trace, sizeof(trace), "%s/trace.dat", root);
	snprintf(home, sizeof(home), "%s/home", root);
	tree_file("/trace.dat", "");
	tree_dir("/home");
	setenv("XDG_STATE_HOME", home, 1);
	return 0;
}

static int tear_down(void **state)
{
	tree_remove();
	return 0;
}

static bool is_there(const char *name)
{
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return lstat(path, &st) == 0;
}

static void keeps_marks(void **state)
{
	struct strbuf text = { 0 };
	struct stat st;

	if (succeeds(viewer_state_save(trace, "mark a\n") == 0)) {
		assert_true(is_there("home/fathom/tui"));
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0700);
		if (succeeds(viewer_state_load(trace, &text) == 0))
			assert_string_equal(strbuf_str(&text), "mark a\n");
	}
	strbuf_done(&text);
}

/* As root with a user's home directory, in which the user can create anything. */
static void does_not_write_to_shared_directories(void **state)
{
	tree_dir("/victim");
	assert_int_equal(chmod(home, 0777), 0);
	tree_link("/home/fathom", "../victim");
	assert_true(viewer_state_save(trace, "mark a\n") < 0);
	assert_false(is_there("victim/tui"));
	tree_dir("/victim/tui");
	assert_true(viewer_state_save(trace, "mark a\n") < 0);
	snprintf(path, sizeof(path), "%s/victim/tui", root);
	assert_int_equal(rmdir(path), 0);
	tree_unlink("/home/fathom");
	if (chown(home, 12345, 12345) < 0)
		skip_because("only root can give a file away");
	assert_true(viewer_state_save(trace, "mark a\n") < 0);
	assert_false(is_there("home/fathom"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(keeps_marks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(does_not_write_to_shared_directories, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
