/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/file/stored-enums.h"

static struct session_env env;

static int make(void **state)
{
	const char *root = tree_make();
	char path[256];

	env = (struct session_env)SESSION_ENV_NONE;
	tree_file("/t/events/fathom/a/format", "");
	tree_file("/t/events/fathom/b/format", "");
	tree_dir("/run");
	snprintf(path, sizeof(path), "%s/t", root);
	env.tracefs.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/run", root);
	env.journals = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return 0;
}

static int clean(void **state)
{
	close(env.tracefs.fd);
	close(env.journals);
	tree_remove();
	return 0;
}

static void check(const char *wanted)
{
	_cleanup_strbuf_ struct strbuf lines = { 0 };
	int r = stored_enums_read(&env, &lines);

	if (r == -ENOMEM && mem_fault)
		return;
	assert_int_equal(r, 0);
	if (!mem_fault)
		assert_string_equal(strbuf_str(&lines), wanted);
}

static void add(const char *enums)
{
	int r = stored_enums_add(&env, enums, NULL);

	if (r != -ENOMEM || !mem_fault)
		assert_int_equal(r, 0);
}

static void keeps_names(void **state)
{
	struct stat st;

	check("");
	add("");
	check("");
	add("fathom:a mode 0 NONE\nfathom:a mode 1 SOME\nfathom:b kind 7 SEVEN\n");
	check("fathom:a mode 0 NONE\nfathom:a mode 1 SOME\nfathom:b kind 7 SEVEN\n");
	/* An event that was created again. */
	add("fathom:a other 3 THREE\n");
	check("fathom:b kind 7 SEVEN\nfathom:a other 3 THREE\n");
	/* An event that was removed, whose name is a prefix of another one. */
	tree_unlink("/t/events/fathom/b/format");
	check("fathom:a other 3 THREE\n");
	tree_file("/t/events/fathom/bb/format", "");
	add("fathom:bb x 1 ONE\n");
	check("fathom:a other 3 THREE\nfathom:bb x 1 ONE\n");
	if (!mem_fault) {
		assert_int_equal(fstatat(env.journals, ".probe-enums", &st, 0), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
	tree_unlink("/t/events/fathom/a/format");
	tree_unlink("/t/events/fathom/bb/format");
	add("");
	if (!mem_fault)
		assert_int_equal(faccessat(env.journals, ".probe-enums", F_OK, 0), -1);
}

static void validates_everything(void **state)
{
	tree_file("/run/.probe-enums", "fathom:a\nfathom:../a x 1 NO\n\nx\nfathom:a y 2 YES\n : \n"
				       "fathom: z 1 NO\n:a z 1 NO\nfathom:a w 3 END");
	check("fathom:a y 2 YES\nfathom:a w 3 END\n");
	/* There may be no directory at all. */
	close(env.journals);
	env.journals = -1;
	check("");
	add("fathom:a x 1 ONE\n");
}

static int read_them(void *arg)
{
	_cleanup_strbuf_ struct strbuf lines = { 0 };

	return stored_enums_read(&env, &lines);
}

static int add_one(void *arg)
{
	return stored_enums_add(&env, "fathom:b y 2 TWO\n", NULL);
}

/* A list that could not be read is different from an empty one. */
static void survives_failing_allocations(void **state)
{
	tree_file("/run/.probe-enums", "fathom:a x 1 ONE\n");
	oom_check(read_them, NULL);
	oom_check(add_one, NULL);
	check("fathom:a x 1 ONE\nfathom:b y 2 TWO\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(keeps_names), TEST(validates_everything),
					    TEST(survives_failing_allocations) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
