/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/negative-errno.h"
#include "symbols/user/symbol-cache.h"

static const struct stat elf = { .st_size = 1234,
				 .st_mode = S_IFREG | 0755,
				 .st_mtim = { 1000, 5 } };
static const unsigned char id[] = { 0xab, 0xcd, 0x01, 0x02 };

/* A cache in the tree of the test. */
static int open_entry(void *data, const char *name)
{
	int fd = openat(tree_fd(), name, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? negative_errno() : fd;
}

static int create_entry(void *data, const char *name)
{
	int fd = openat(tree_fd(), "new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd < 0 ? negative_errno() : fd;
}

static int commit_entry(void *data, const char *name)
{
	return renameat(tree_fd(), "new", tree_fd(), name) < 0 ? negative_errno() : 0;
}

static const struct symbol_cache cache = { .open = open_entry,
					   .create = create_entry,
					   .commit = commit_entry };

static int make_table(struct symbol_table *table)
{
	struct symbol_builder builder = { 0 };
	uint32_t base;
	int r = symbol_builder_strings(&builder, "\0first\0second", 14, false, &base);

	for (uint32_t i = 0; r == 0 && i < 2; i++)
		r = symbol_builder_add(&builder,
				       &(struct symbol_input){ .start = 0x1000 + i * 0x100,
							       .size = 0x80,
							       .name = base + (i ? 7 : 1),
							       .rank = SYMBOL_FUNCTION });
	if (r < 0) {
		symbol_builder_done(&builder);
		return r;
	}
	return symbol_builder_finish(&builder, table);
}

/* Stores a table; false: out of memory. */
static bool keep(void)
{
	struct symbol_table table;

	if (make_table(&table) < 0)
		return false;
	assert_int_equal(symbol_cache_store(&cache, id, sizeof(id), &elf, &table), 0);
	symbol_table_done(&table);
	return true;
}

static void stores_a_table(void **state)
{
	struct symbol_table table;
	struct symbol symbol;

	assert_int_equal(symbol_cache_load(&cache, id, sizeof(id), &elf, &table), -ENOENT);
	require(keep());
	assert_int_equal(symbol_cache_load(&cache, id, sizeof(id), &elf, &table), 0);
	assert_true(symbol_table_find(&table, 0x107f + 0x80, &symbol) == false);
	assert_true(symbol_table_find(&table, 0x1110, &symbol));
	assert_string_equal(symbol.name, "second");
	assert_int_equal(symbol.start, 0x1100);
	symbol_table_done(&table);
}

static void is_used_only_for_the_same_file(void **state)
{
	struct symbol_table table;
	struct stat other = elf;

	require(keep());
	other.st_mtim.tv_nsec++;
	assert_int_equal(symbol_cache_load(&cache, id, sizeof(id), &other, &table), -EINVAL);
	other = elf;
	other.st_size++;
	assert_int_equal(symbol_cache_load(&cache, id, sizeof(id), &other, &table), -EINVAL);
	/* Owned by another user, or world-writable. */
	other = elf;
	other.st_uid = 4711;
	assert_int_equal(symbol_cache_load(&cache, id, sizeof(id), &other, &table), -ENOENT);
	other = elf;
	other.st_mode |= S_IWOTH;
	assert_int_equal(symbol_cache_load(&cache, id, sizeof(id), &other, &table), -ENOENT);
}

/* Modifies each byte: the entry is rejected, or all results are within the table. */
static void names_stay_whole(const struct symbol_table *table)
{
	struct symbol symbol;

	for (uint64_t a = 0x0ff0; a < 0x1200; a++)
		if (symbol_table_find(table, a, &symbol))
			assert_true(strlen(symbol.name) < 32);
}

static void survives_damage(void **state)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	require(keep());
	fd = openat(tree_fd(), "abcd0102", O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t i = 0; i < st.st_size; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct symbol_table table;
			unsigned char was, is;

			assert_int_equal(pread(fd, &was, 1, i), 1);
			is = (unsigned char)(was ^ 1 << bit);
			assert_int_equal(pwrite(fd, &is, 1, i), 1);
			if (symbol_cache_read(fd, &elf, &table) == 0) {
				names_stay_whole(&table);
				symbol_table_done(&table);
			}
			assert_int_equal(pwrite(fd, &was, 1, i), 1);
		}
	for (off_t size = st.st_size - 1; size >= 0; size--) {
		struct symbol_table table;

		assert_int_equal(ftruncate(fd, size), 0);
		assert_int_equal(symbol_cache_read(fd, &elf, &table), -EINVAL);
	}
}

static void can_be_disabled(void **state)
{
	char *home = realpath(".", NULL);
	int fd;

	tree_dir("/fathom");
	tree_dir("/fathom/symbols");
	assert_int_equal(symbol_cache_dir(NULL, NULL), -ENOENT);
	assert_int_equal(symbol_cache_dir("relative", NULL), -ENOENT);
	assert_int_equal(symbol_cache_dir("/nonexistent", NULL), -ENOENT);
	free(home);
	home = malloc(64);
	assert_non_null(home);
	snprintf(home, 64, "/proc/self/fd/%d", tree_fd());
	fd = symbol_cache_dir(home, NULL);
	assert_true(fd >= 0 || fd == -ENOMEM);
	if (succeeds(fd >= 0)) {
		assert_int_equal(fchmod(fd, 0777), 0);
		assert_int_equal(symbol_cache_dir(home, NULL), -EPERM);
		close(fd);
	}
	free(home);
}

/* In another user's home, a link could lead to any directory of root. */
static void does_not_follow_links_of_other_users(void **state)
{
	char home[64];

	tree_dir("/elsewhere");
	tree_dir("/elsewhere/symbols");
	tree_dir("/home");
	tree_link("/home/fathom", "../elsewhere");
	assert_int_equal(fchmodat(tree_fd(), "home", 0777, 0), 0);
	snprintf(home, sizeof(home), "/proc/self/fd/%d/home", tree_fd());
	assert_int_equal(symbol_cache_dir(home, NULL), -EEXIST);
}

static void is_bounded(void **state)
{
	tree_file("/00000001", "1234567890");
	tree_file("/00000002", "1234567890");
	tree_file("/00000003", "1234567890");
	tree_file("/other", "1234567890");
	for (int i = 1; i <= 3; i++) {
		const struct timespec times[2] = { { 1000 - i, 0 }, { 1000 - i, 0 } };
		char name[] = "00000000";

		name[7] = (char)('0' + i);
		assert_int_equal(utimensat(tree_fd(), name, times, 0), 0);
	}
	symbol_cache_trim(tree_fd(), 15);
	/* The newest entry stays, and so do other files. */
	assert_int_equal(faccessat(tree_fd(), "other", F_OK, 0), 0);
	/* The entry is kept if there is no memory for the list. */
	require(faccessat(tree_fd(), "00000003", F_OK, 0) != 0);
	assert_int_equal(faccessat(tree_fd(), "00000001", F_OK, 0), 0);
	assert_int_not_equal(faccessat(tree_fd(), "00000002", F_OK, 0), 0);
}

static void recognizes_entry_names(void **state)
{
	assert_true(symbol_cache_is_name("abcd0102"));
	assert_false(symbol_cache_is_name(""));
	assert_false(symbol_cache_is_name("abcd"));
	assert_false(symbol_cache_is_name("../abcd0102"));
	assert_false(symbol_cache_is_name("ABCD0102"));
	assert_false(symbol_cache_is_name("abcd0102.x"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)
	const struct CMUnitTest tests[] = {
		TEST(stores_a_table),
		TEST(is_used_only_for_the_same_file),
		TEST(survives_damage),
		TEST(can_be_disabled),
		TEST(does_not_follow_links_of_other_users),
		TEST(is_bounded),
		TEST(recognizes_entry_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
