/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests in which the program symbolizes itself: its own memory and its own file. */
#include "test.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "symbols/user/user-symbols.h"

static int opened;

static int open_counted(void *data, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	opened++;
	return fd < 0 ? negative_errno() : fd;
}

/* Returns a map of JIT-compiled code for any process. */
static int open_jit(void *data, const char *path)
{
	int fd;

	if (!str_eq(path, "/tmp/perf-4242.map"))
		return -ENOENT;
	fd = open((const char *)data, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? negative_errno() : fd;
}

__attribute__((noinline)) static int function_of_the_test(int a)
{
	__asm__ volatile("" : "+r"(a));
	return a + 1;
}

static const char some_maps[] = "400000-401000 r-xp 00000000 fe:01 1 /gone/app\n"
				"500000-501000 r-xp 00000000 fe:01 1 /was/here (deleted)\n"
				"600000-601000 rwxp 00000000 00:00 0 \n"
				"700000-701000 r-xp 00000000 00:00 0 [vdso]\n"
				"800000-801000 rw-p 00000000 00:00 0 [heap]\n"
				"900000-901000 r-xp 00000000 fe:01 1 /etc/passwd\n";

static void finds_its_own_functions(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct user_symbols symbols = { .opener = { open_counted, NULL } };
	uint64_t address = (uint64_t)(uintptr_t)function_of_the_test + 1;
	struct user_symbol symbol;

	opened = 0;
	if (succeeds(file_read(AT_FDCWD, "/proc/self/maps", &text) == 0 &&
		     user_maps_add_text(&symbols.maps, 7, 100, text.s, text.len) == 0)) {
		assert_int_equal(function_of_the_test(1), 2);
		/* Dozens of files are mapped, and none is read before the first lookup. */
		assert_int_equal(opened, 0);
		user_symbols_find(&symbols, 7, 100, address, &symbol);
		if (succeeds(!symbols.nomem)) {
			assert_int_equal(symbol.why, USER_RESOLVED);
			assert_string_equal(symbol.name, "function_of_the_test");
			assert_int_equal(symbol.offset, 1);
			assert_non_null(strstr(symbol.path, "user-symbols-test"));
			assert_int_equal(opened, 1);
			user_symbols_find(&symbols, 7, 100, address, &symbol);
			assert_int_equal(opened, 1);
			user_symbols_find(&symbols, 7, 100, (uint64_t)(uintptr_t)getppid, &symbol);
			assert_true(symbols.nomem || (symbol.name && opened > 1));
		}
	}
	user_symbols_done(&symbols);
}

static void expect_why(struct user_symbols *symbols, int32_t pid, uint64_t address,
		       enum user_unresolved why)
{
	struct user_symbol symbol;

	user_symbols_find(symbols, pid, 1, address, &symbol);
	if (symbols->nomem)
		return;
	assert_int_equal(symbol.why, why);
	assert_null(symbol.name);
	assert_true(*user_unresolved_text(why));
}

static void reports_why_a_name_is_missing(void **state)
{
	struct user_symbols symbols = { .opener = { open_counted, NULL } };

	if (succeeds(user_maps_add_text(&symbols.maps, 7, 1, some_maps, strlen(some_maps)) == 0)) {
		expect_why(&symbols, 8, 0x400000, USER_NO_MAPS);
		expect_why(&symbols, 7, 0x300000, USER_NOT_MAPPED);
		expect_why(&symbols, 7, 0x400010, USER_NOT_HERE);
		expect_why(&symbols, 7, 0x500010, USER_DELETED);
		expect_why(&symbols, 7, 0x600010, USER_JIT);
		expect_why(&symbols, 7, 0x700010, USER_VDSO);
		expect_why(&symbols, 7, 0x800010, USER_NO_CODE);
		expect_why(&symbols, 7, 0x900010, USER_UNREADABLE);
	}
	user_symbols_done(&symbols);
}

static const char jit_text[] = "600000 20 LazyCompile:~first file.js:1\n"
			       "not a line\n"
			       "0x600020 10 second /lib/@scope/x.js\n"
			       "600100 0 empty\n";

static void reads_names_of_jit_code(void **state)
{
	char path[256];
	struct user_symbols symbols = { .jit_opener = { open_jit, path } };
	struct user_symbol symbol;

	snprintf(path, sizeof(path), "%s/map", tree_make());
	tree_file("/map", jit_text);
	if (succeeds(user_maps_add_text(&symbols.maps, 4242, 1, some_maps, strlen(some_maps)) ==
		     0)) {
		user_symbols_find(&symbols, 4242, 1, 0x600018, &symbol);
		if (succeeds(!symbols.nomem)) {
			assert_string_equal(symbol.name, "LazyCompile:~first file.js:1");
			assert_int_equal(symbol.offset, 0x18);
			user_symbols_find(&symbols, 4242, 1, 0x60002f, &symbol);
			assert_string_equal(symbol.name, "second /lib/@scope/x.js");
		}
		expect_why(&symbols, 4242, 0x600030, USER_JIT);
		/* The recorder may have stored only file mappings. */
		expect_why(&symbols, 4242, 0xa00000, USER_NOT_MAPPED);
	}
	user_symbols_done(&symbols);
	tree_remove();
}

static int find_op(void *arg)
{
	struct user_symbols symbols = { .opener = { open_counted, NULL } };
	struct user_symbol symbol;
	const struct strbuf *text = arg;
	int r = user_maps_add_text(&symbols.maps, 7, 100, text->s, text->len);

	if (r == 0)
		user_symbols_find(&symbols, 7, 100, (uint64_t)(uintptr_t)function_of_the_test,
				  &symbol);
	if (r == 0 && symbols.nomem)
		r = -ENOMEM;
	user_symbols_done(&symbols);
	return r;
}

static void survives_failing_allocations(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (succeeds(file_read(AT_FDCWD, "/proc/self/maps", &text) == 0))
		oom_check(find_op, &text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_its_own_functions),
		cmocka_unit_test(reports_why_a_name_is_missing),
		cmocka_unit_test(reads_names_of_jit_code),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
