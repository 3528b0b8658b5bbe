/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "symbols/kernel/tags.h"

static const char sample[] =
	"!_TAG_FILE_SORTED\t1\t/0=unsorted/\n"
	"vfs_read\tinclude/linux/fs.h\t/^extern ssize_t vfs_read(struct file *, char *);$/;\"\tp\n"
	"vfs_read\tfs/read_write.c\t/^ssize_t vfs_read(struct file *file, char *buf)$/;\"\tf\tline:450\n"
	"vfs_read_x\tfs/x.c\t/^int vfs_read_x(/;\"\tf\n"
	"plain\ta\\/b.c\t12\n"
	"slash\tfs/x.c\t/^int slash(int a \\/ 2)$/;\"\tkind:f\n"
	"wrong\tfs/x.c\n"
	"wrong\tfs/x.c\t\n"
	"wrong\n"
	"xvfs_read\tfs/x.c\t3\n"
	"last\tfs/x.c\t/^int last(/";

static size_t find(const char *name, struct tag *tags, size_t max)
{
	return tags_find(sample, sizeof(sample) - 1, name, tags, max);
}

static void finds_functions_first(void **state)
{
	struct tag tags[4];

	assert_int_equal(find("vfs_read", tags, 4), 2);
	assert_string_equal(tags[0].file, "fs/read_write.c");
	assert_int_equal(tags[0].line, 450);
	assert_int_equal(tags[0].kind, 'f');
	assert_string_equal(tags[1].file, "include/linux/fs.h");
	assert_int_equal(find("vfs_read", tags, 1), 1);
	assert_int_equal(find("plain", tags, 4), 1);
	assert_int_equal(tags[0].line, 12);
	assert_int_equal(find("wrong", tags, 4), 0);
	assert_int_equal(find("", tags, 4), 0);
	assert_int_equal(find("last", tags, 4), 1);
}

static void finds_lines(void **state)
{
	static const char source[] = "int a;\nint last(int b)\nint slash(int a / 2)\n";
	struct tag tags[4];

	assert_int_equal(find("last", tags, 4), 1);
	assert_int_equal(tag_line(&tags[0], source, sizeof(source) - 1), 2);
	assert_int_equal(find("slash", tags, 4), 1);
	assert_int_equal(tags[0].kind, 'f');
	assert_int_equal(tag_line(&tags[0], source, sizeof(source) - 1), 3);
	assert_int_equal(find("vfs_read_x", tags, 4), 1);
	assert_int_equal(tag_line(&tags[0], source, sizeof(source) - 1), 0);
}

static void derives_versions(void **state)
{
	static const struct {
		const char *release, *version, *expected;
	} cases[] = {
		{ "5.10.0-45-amd64", "#1 SMP Debian 5.10.259-1 (2026-10-01)", "5.10.259" },
		{ "6.12.90+deb13-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.12.90-1", "6.12.90" },
		{ "6.12.0", "#1 SMP", "6.12" },
		{ "6.8.0-41-generic", "#41-Ubuntu SMP", "6.8" },
		{ "7.3.0-rc1", "#1 SMP", "7.3-rc1" },
		{ "7.3-rc1-amd64", "#1 SMP Debian 7.3~rc1-1~exp1", "7.3-rc1" },
		{ "unknown", "#1", NULL },
		{ "7", "", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char version[32] = "";
		bool is = source_version(cases[i].release, cases[i].version, version,
					 sizeof(version));

		assert_int_equal(is, cases[i].expected != NULL);
		if (is)
			assert_string_equal(version, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_functions_first),
		cmocka_unit_test(finds_lines),
		cmocka_unit_test(derives_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
