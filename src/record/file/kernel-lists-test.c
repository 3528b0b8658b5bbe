/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stored list equals that of the kernel until something changes that it depends on. */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "record/file/kernel-lists.h"

#define SYMBOLS ".kernel-symbols"
#define MODULES                                     \
	"ext4 983040 1 - Live 0xffffffffc0401000\n" \
	"mbcache 16384 2 ext4,ext2, Live 0xffffffffc03f0000 E\n"

static struct session_env env;
static const char *root;

/* Makes a list of @n lines, one of which, far after the first page, is called @name. */
static void make_list(const char *path, const char *first, const char *name, unsigned n)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	for (unsigned i = 0; i < n; i++)
		strbuf_addf(&text, "%s%s_%u\n", i == 0 ? first : "ffffffff81000000 t ",
			    i == n - 10 ? name : "function", i);
	tree_file(path, strbuf_str(&text));
}

static void make_symbols(const char *name)
{
	make_list("/proc/kallsyms", "ffffffff81000000 T ", name, 4000);
}

static int open_below(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make(void **state)
{
	root = tree_make();
	env = (struct session_env)SESSION_ENV_NONE;
	env.root = (char *)root;
	strcpy(env.boot_id, "one");
	tree_dir("/run");
	tree_dir("/sys/module/ext4");
	tree_dir("/sys/module/mbcache");
	tree_dir("/tracing");
	tree_file("/proc/modules", MODULES);
	env.journals = open_below("/run");
	env.tracefs.fd = open_below("/tracing");
	make_symbols("old");
	return 0;
}

static int clean(void **state)
{
	close(env.journals);
	close(env.tracefs.fd);
	tree_remove();
	return 0;
}

/* Returns whether the symbols contain @name. They may be stored if @keep. */
static bool has(const char *name, bool keep)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (!succeeds(kernel_lists_symbols(&env, keep, &text) == 0))
		return false;
	return strstr(strbuf_str(&text), name);
}

static bool is_kept(void)
{
	return faccessat(env.journals, SYMBOLS, F_OK, 0) == 0;
}

static void a_list_is_read_once(void **state)
{
	struct stat st;

	require_memory();
	assert_false(has("new_", true));
	assert_int_equal(fstatat(env.journals, SYMBOLS, &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(st.st_size < 40000);
	/* The kernel's list is not read again, except for its first page. */
	make_symbols("new");
	assert_true(has("old_", true));
	assert_false(has("new_", true));
}

static void nothing_is_cached_without_permission(void **state)
{
	assert_true(has("old_", false) || mem_fault);
	assert_false(is_kept());
	env.journals = (close(env.journals), -1);
	assert_true(has("old_", true) || mem_fault);
	env.journals = open_below("/run");
	assert_false(is_kept());
	/* A short list is as quick to read. */
	make_list("/proc/kallsyms", "ffffffff81000000 T ", "old", 100);
	assert_true(has("old_", true) || mem_fault);
	assert_false(is_kept());
}

/* Reloads a module, at the same address. */
static void load_again(const char *module)
{
	char from[256], to[256];

	tree_dir("/sys/module/another");
	snprintf(from, sizeof(from), "%s/sys/module/another", root);
	snprintf(to, sizeof(to), "%s/sys/module/%s", root, module);
	assert_int_equal(rename(from, to), 0);
}

static void another_machine_is_read_again(void **state)
{
	static const struct {
		const char *boot, *modules, *loaded;
	} table[] = {
		{ "two", MODULES, NULL },
		{ "one", "ext4 983040 1 - Live 0xffffffffc0401000\n", NULL },
		{ "one", "dummy 4096 0 - Loading 0xffffffffc0500000\n" MODULES, NULL },
		{ "one", "ext4 983040 1 - Live 0x0000000000000000\n", NULL },
		{ "one", MODULES, "mbcache" },
		{ "one", "gone 983040 1 - Live 0xffffffffc0401000\n", NULL },
	};

	require_memory();
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		strcpy(env.boot_id, "one");
		tree_file("/proc/modules", MODULES);
		make_symbols("old");
		unlinkat(env.journals, SYMBOLS, 0);
		assert_true(has("old_", true));
		assert_true(is_kept());
		make_symbols("new");
		assert_true(has("old_", true));
		strcpy(env.boot_id, table[i].boot);
		tree_file("/proc/modules", table[i].modules);
		if (table[i].loaded)
			load_again(table[i].loaded);
		assert_true(has("new_", true));
	}
}

/* The kernel was rebooted unnoticed. */
static void detects_a_different_first_page(void **state)
{
	require_memory();
	assert_true(has("old_", true));
	make_list("/proc/kallsyms", "ffffffff81000000 A ", "new", 4000);
	assert_true(has("new_", true));
	tree_file("/proc/kallsyms", "ffffffff81000000 A only\n");
	assert_true(has("only", true));
}

static void damaged_files_are_not_used(void **state)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	size_t head;

	require_memory();
	assert_true(has("old_", true));
	assert_int_equal(file_read(env.journals, SYMBOLS, &file), 0);
	head = (size_t)(strchr(file.s, '\n') - file.s) + 1;
	make_symbols("new");
	for (size_t len = 0; len < file.len; len += len < head + 40 ? 1 : 97) {
		_cleanup_close_ int fd =
			openat(env.journals, SYMBOLS, O_WRONLY | O_TRUNC | O_CLOEXEC);

		assert_int_equal(file_write_bytes(fd, file.s, len), 0);
		assert_true(has("new_", false));
	}
}

static void functions_are_the_same(void **state)
{
	struct functions functions = { 0 }, kept = { 0 };

	make_list("/tracing/available_filter_functions", "", "old", 4000);
	assert_true(kernel_lists_functions(&env, true, &functions, NULL) == 0 || mem_fault);
	make_list("/tracing/available_filter_functions", "", "new", 4000);
	assert_true(kernel_lists_functions(&env, true, &kept, NULL) == 0 || mem_fault);
	assert_true(functions.n == 4000 || mem_fault);
	assert_true(functions.n == kept.n || mem_fault);
	for (size_t i = 0; i < functions.n && !mem_fault; i++)
		assert_string_equal(functions.list[i].name, kept.list[i].name);
	functions_done(&functions);
	functions_done(&kept);
}

static void a_kernel_without_functions_is_named(void **state)
{
	struct functions functions;
	struct fathom_err err = { 0 };

	assert_true(kernel_lists_functions(&env, true, &functions, &err) < 0);
	assert_true(strstr(err.message, "cannot trace functions") || mem_fault);
}

static int read_symbols(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return kernel_lists_symbols(&env, true, &text);
}

static void survives_failing_allocations(void **state)
{
	oom_check(read_symbols, NULL);
	assert_true(is_kept() || mem_fault);
	oom_check(read_symbols, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_list_is_read_once, make, clean),
		cmocka_unit_test_setup_teardown(nothing_is_cached_without_permission, make, clean),
		cmocka_unit_test_setup_teardown(another_machine_is_read_again, make, clean),
		cmocka_unit_test_setup_teardown(detects_a_different_first_page, make, clean),
		cmocka_unit_test_setup_teardown(damaged_files_are_not_used, make, clean),
		cmocka_unit_test_setup_teardown(functions_are_the_same, make, clean),
		cmocka_unit_test_setup_teardown(a_kernel_without_functions_is_named, make, clean),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
