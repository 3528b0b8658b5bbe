/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files/place.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "test.h"

#define MALLORY 65534 /* nobody, which exists on every machine */
#define ALICE	23456

static const char *root;
static int root_fd;
static char path[300];

static int set_up(void **state)
{
	root = tree_make();
	root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return 0;
}

static int tear_down(void **state)
{
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
	close(root_fd);
	tree_remove();
	return 0;
}

static const char *in_root(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void give(const char *name, uid_t uid)
{
	if (fchownat(root_fd, name, uid, uid, AT_SYMLINK_NOFOLLOW) < 0)
		skip_because("only root can give a file away, and not in every container");
}

static void make_dir(const char *name, mode_t mode, uid_t uid)
{
	char slashed[64];

	snprintf(slashed, sizeof(slashed), "/%s", name);
	tree_dir(slashed);
	assert_int_equal(fchmodat(root_fd, name, mode, 0), 0);
	if (uid != geteuid())
		give(name, uid);
}

/* SUDO_UID counts only if that user exists. */
static void call_by_sudo(void)
{
	char uid[16], gid[16];
	const struct passwd *user = getpwuid(MALLORY);

	if (!user)
		skip_because("no user 65534");
	snprintf(uid, sizeof(uid), "%u", user->pw_uid);
	snprintf(gid, sizeof(gid), "%u", user->pw_gid);
	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", gid, 1);
	setenv("SUDO_USER", user->pw_name, 1);
}

/* The result of place_find() and place_look(): 1, 0 or a negative errno. */
static int judge(const char *name)
{
	_cleanup_place_ struct place place = PLACE_NONE;
	struct stat st;
	int r = place_find(in_root(name), &place, NULL);

	return r < 0 ? r : place_look(&place, path, &st, NULL);
}

static int judge_again(void *arg)
{
	int r = judge(arg);

	return r < 0 ? r : 0;
}

static void follows_links_to_their_end(void **state)
{
	char through[] = "dir/link";
	struct place place;
	struct stat st;

	tree_dir("/dir");
	tree_file("/dir/file", "x");
	tree_link("/dir/link", "../first");
	tree_link("/first", "dir/./../dir//file");
	tree_link("/loop", "loop");
	assert_int_equal(place_find(in_root("dir/link"), &place, NULL), 0);
	assert_string_equal(place.name, "file");
	assert_true(place.is_private);
	assert_int_equal(place_look(&place, path, &st, NULL), 1);
	place_done(&place);
	assert_int_equal(judge("dir/new"), 0);
	assert_int_equal(judge("loop"), -ELOOP);
	assert_int_equal(judge("dir"), -EISDIR);
	assert_int_equal(judge("dir/"), -EISDIR);
	assert_int_equal(judge("dir/.."), -EISDIR);
	assert_int_equal(judge("none/new"), -ENOENT);
	assert_int_equal(judge("dir/file/new"), -ENOTDIR);
	assert_int_equal(place_find("", &place, NULL), -ENOENT);
	oom_check(judge_again, through);
}

static void rejects_links_in_shared_directories(void **state)
{
	struct fathom_err err = { 0 };
	struct place place;

	tree_file("/precious", "x");
	tree_dir("/there");
	make_dir("shared", 0777, geteuid());
	tree_link("/shared/link", "../precious");
	tree_link("/shared/new", "../none");
	tree_link("/shared/dir", "../there");
	assert_int_equal(judge("shared/link"), -EEXIST);
	assert_int_equal(judge("shared/new"), -EEXIST);
	assert_int_equal(judge("shared/dir/new"), -EEXIST);
	assert_int_equal(judge("shared/other"), 0);
	/* Their group counts as other users. */
	assert_int_equal(fchmodat(root_fd, "shared", 0770, 0), 0);
	assert_int_equal(judge("shared/link"), -EEXIST);
	/* In a directory where others cannot remove files, our own links are trusted. */
	assert_int_equal(fchmodat(root_fd, "shared", 01777, 0), 0);
	assert_int_equal(judge("shared/link"), 1);
	assert_int_equal(judge("shared/dir/new"), 0);
	assert_int_equal(fchmodat(root_fd, "shared", 0777, 0), 0);
	assert_int_equal(place_find(in_root("shared/link"), &place, &err), -EEXIST);
	assert_non_null(strstr(fathom_err_text(&err), "'link' is a symbolic link of user"));
	assert_non_null(strstr(fathom_err_text(&err), "in a directory that others can write to; "
						      "remove it, or give the path"));
}

static void rejects_links_of_other_users(void **state)
{
	tree_file("/precious", "x");
	tree_dir("/there");
	make_dir("sticky", 01777, geteuid());
	make_dir("home", 0755, geteuid());
	tree_link("/sticky/link", "../precious");
	tree_link("/sticky/dir", "../there");
	tree_link("/home/link", "../precious");
	give("sticky/link", MALLORY);
	give("sticky/dir", MALLORY);
	give("home", MALLORY);
	assert_int_equal(judge("sticky/link"), -EEXIST);
	assert_int_equal(judge("sticky/dir/new"), -EEXIST);
	assert_int_equal(judge("home/link"), -EEXIST);
	assert_int_equal(judge("home/new"), 0);
	/* The variables of sudo do not help. */
	call_by_sudo();
	assert_int_equal(judge("sticky/link"), -EEXIST);
	assert_int_equal(judge("home/link"), -EEXIST);
}

static void keeps_hard_links(void **state)
{
	tree_file("/precious", "x");
	make_dir("shared", 0777, geteuid());
	tree_file("/shared/own", "x");
	assert_int_equal(linkat(root_fd, "precious", root_fd, "shared/link", 0), 0);
	assert_int_equal(linkat(root_fd, "precious", root_fd, "again", 0), 0);
	assert_int_equal(judge("shared/link"), -EEXIST);
	assert_int_equal(place_open(in_root("shared/link"), O_RDWR, NULL), -EEXIST);
	assert_int_equal(judge("again"), 1);
	assert_int_equal(judge("shared/own"), 1);
}

static void keeps_files_of_other_users(void **state)
{
	int fd;

	make_dir("sticky", 01777, geteuid());
	make_dir("home", 0755, geteuid());
	tree_file("/sticky/file", "x");
	tree_file("/home/file", "x");
	give("home", ALICE);
	give("home/file", ALICE);
	give("sticky/file", MALLORY);
	assert_int_equal(judge("sticky/file"), -EEXIST);
	assert_int_equal(place_open(in_root("sticky/file"), O_RDWR, NULL), -EEXIST);
	/* The owner of the directory decides about the files in it. */
	assert_int_equal(judge("home/file"), 1);
	fd = place_open(in_root("home/file"), O_RDWR, NULL);
	assert_true(fd >= 0);
	close(fd);
	give("home/file", MALLORY);
	assert_int_equal(judge("home/file"), -EEXIST);
	/* A user's own file can also be replaced through sudo. */
	call_by_sudo();
	assert_int_equal(judge("sticky/file"), 1);
}

/* Runs as another user, who encounters links of root and of third parties. */
static int judge_as_alice(void)
{
	int bad = 0;

	if (setegid(ALICE) < 0 || seteuid(ALICE) < 0)
		return -1;
	bad += judge("private/link") != 0; /* root's, and leads to a new file of hers */
	bad += judge("home/link") != 0;
	bad += judge("mallory/link") != -EEXIST;
	bad += judge("sticky/root") != 0;
	bad += judge("sticky/alice") != 0;
	bad += judge("sticky/mallory") != -EEXIST;
	if (seteuid(0) < 0 || setegid(0) < 0)
		abort();
	return bad;
}

static void applies_to_unprivileged_users(void **state)
{
	assert_int_equal(fchmodat(root_fd, ".", 0755, 0), 0);
	make_dir("private", 0755, geteuid());
	make_dir("home", 0755, geteuid());
	make_dir("mallory", 0755, geteuid());
	make_dir("sticky", 01777, geteuid());
	tree_link("/private/link", "../home/new");
	tree_link("/home/link", "new");
	tree_link("/mallory/link", "../home/new");
	tree_link("/sticky/root", "../home/new");
	tree_link("/sticky/alice", "../home/new");
	tree_link("/sticky/mallory", "../home/new");
	give("mallory", MALLORY);
	give("mallory/link", MALLORY);
	give("sticky/mallory", MALLORY);
	give("sticky/alice", ALICE);
	give("home/link", ALICE);
	give("home", ALICE);
	assert_int_equal(judge_as_alice(), 0);
}

static void opens_only_private_directories(void **state)
{
	struct stat st;
	int fd = place_open_dir(in_root("a/b/c"), 0);

	assert_int_equal(fd, -ENOENT);
	fd = place_open_dir(in_root("a/b/c"), PLACE_DIR_MAKE);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	close(fd);
	make_dir("shared", 0777, geteuid());
	tree_link("/shared/link", "../a");
	assert_int_equal(place_open_dir(in_root("shared"), 0), -EPERM);
	assert_int_equal(place_open_dir(in_root("shared/link"), 0), -EEXIST);
	tree_link("/link", "a");
	fd = place_open_dir(in_root("link/b"), 0);
	assert_true(fd >= 0);
	close(fd);
	make_dir("home", 0755, geteuid());
	tree_link("/home/link", "../a");
	give("home", MALLORY);
	assert_int_equal(place_open_dir(in_root("home/new"), PLACE_DIR_MAKE), -EPERM);
	assert_int_equal(place_open_dir(in_root("home/link/b"), 0), -EEXIST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(follows_links_to_their_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_links_in_shared_directories, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rejects_links_of_other_users, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_hard_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_files_of_other_users, set_up, tear_down),
		cmocka_unit_test_setup_teardown(applies_to_unprivileged_users, set_up, tear_down),
		cmocka_unit_test_setup_teardown(opens_only_private_directories, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
