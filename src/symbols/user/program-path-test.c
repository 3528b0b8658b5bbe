/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with a directory tree that has libraries, a loader cache and a process. */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "symbols/user/program-path.h"

#define _cleanup_arena_ _cleanup_(arena_done)

static const char *root;

static int make(void **state)
{
	root = tree_make();
	tree_file("/opt/lib/libfoo.so.1", "x");
	tree_file("/usr/lib/libbar.so.2", "x");
	tree_file("/usr/lib/libbar-static.a", "x");
	tree_file("/usr/lib/libtwo.so.1", "x");
	tree_file("/usr/lib/libtwo.so.2", "y");
	tree_link("/usr/lib/libtwin.so", "libtwin.so.1");
	tree_file("/usr/lib/libtwin.so.1", "x");
	tree_file("/usr/lib/libold-2.31.so", "x");
	tree_file("/usr/bin/app", "x");
	tree_dir("/etc");
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

static void expect(int pid, const char *name, const char *want)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	const char *path = NULL;
	int r = program_path_find(root, pid, name, &arena, &path, &err);

	if (r == -ENOMEM)
		return;
	if (r < 0)
		print_message("%s\n", err.message);
	assert_int_equal(r, 0);
	assert_string_equal(path, want);
}

static void refuse(int pid, const char *name, const char *want)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	const char *path = NULL;
	int r = program_path_find(root, pid, name, &arena, &path, &err);

	if (r == -ENOMEM)
		return;
	assert_true(r < 0);
	if (!strstr(err.message, want))
		print_message("%s\n", err.message);
	assert_non_null(strstr(err.message, want));
}

static void finds_libraries_in_directories(void **state)
{
	expect(0, "libbar", "/usr/lib/libbar.so.2");
	expect(0, "libbar.so.2", "/usr/lib/libbar.so.2");
	expect(0, "libold", "/usr/lib/libold-2.31.so");
	refuse(0, "libtwo", "give its path");
	expect(0, "libtwo.so.1", "/usr/lib/libtwo.so.1");
	refuse(0, "libba", "no library or program");
	refuse(0, "libfoo", "no library or program");
}

/* The format of the cache: a header, entries of 24 bytes, strings. */
static void write_cache(size_t cut)
{
	static const char texts[] =
		"libfoo.so.1\0/opt/lib/libfoo.so.1\0libbar.so.2\0/nowhere/libbar.so.2";
	const uint32_t at = 48 + 3 * 24;
	char path[512];
	unsigned char bytes[512] = "glibc-ld.so.cache1.1";
#if defined(__aarch64__)
	const uint32_t flags = 0x0a03;
#else
	const uint32_t flags = 0x0303;
#endif
	const uint32_t head[] = { 3, sizeof(texts) };
	const uint32_t entries[3][6] = { { 0x0800, at, at + 12, 0, 0, 0 },
					 { flags, at, at + 12, 0, 0, 0 },
					 { flags, at + 33, at + 45, 0, 0, 0 } };
	_cleanup_close_ int fd = -1;

	memcpy(bytes + 20, head, sizeof(head));
	memcpy(bytes + 48, entries, sizeof(entries));
	memcpy(bytes + at, texts, sizeof(texts));
	snprintf(path, sizeof(path), "%s/etc/ld.so.cache", root);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, bytes, at + sizeof(texts) - cut), at + sizeof(texts) - cut);
}

static void finds_libraries_in_the_cache(void **state)
{
	write_cache(0);
	expect(0, "libfoo", "/opt/lib/libfoo.so.1");
	/* Files that no longer exist are ignored. */
	expect(0, "libbar", "/usr/lib/libbar.so.2");
	for (size_t cut = 1; cut < 48 + 3 * 24 + 64; cut += 9) {
		_cleanup_arena_ struct arena arena = { 0 };
		const char *path;

		write_cache(cut);
		program_path_find(root, 0, "libfoo", &arena, &path, NULL);
	}
}

static void finds_programs_and_paths(void **state)
{
	char cwd[1000], want[1100];

	setenv("PATH", "/sbin:relative::/usr/bin", 1);
	expect(0, "app", "/usr/bin/app");
	expect(0, "/no/such/file", "/no/such/file");
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(want, sizeof(want), "%s/x/y", cwd);
	expect(0, "./x/y", want);
	expect(0, "x/y", want);
}

static void finds_files_of_processes(void **state)
{
	char want[600], exe[600];

	tree_file("/proc/7/maps",
		  "00400000-00401000 r-xp 00000000 08:01 42 /app/bin/app\n"
		  "7f0000000000-7f0000001000 r--p 00000000 08:01 43 /app/lib/libbar.so.2\n"
		  "7f0000001000-7f0000002000 r-xp 00001000 08:01 43 /app/lib/libbar.so.2\n"
		  "7f0000003000-7f0000004000 rw-p 00000000 00:00 0\n"
		  "7f0000004000-7f0000005000 r-xp 00001000 08:01 43 /app/lib/libgone.so.2\n");
	tree_file("/proc/7/root/app/bin/app", "x");
	tree_file("/proc/7/root/app/lib/libbar.so.2", "x");
	snprintf(exe, sizeof(exe), "%s/proc/7/root/app/bin/app", root);
	tree_link("/proc/7/exe", exe);
	expect(7, NULL, exe);
	snprintf(want, sizeof(want), "%s/proc/7/root/app/lib/libbar.so.2", root);
	expect(7, "libbar", want);
	expect(7, "/app/lib/libbar.so.2", want);
	expect(7, "app", exe);
	refuse(7, "libfoo", "process 7 has no mapped file 'libfoo'");
	refuse(7, "libgone", "has no mapped file");
	refuse(8, NULL, "no process 8");
	tree_file("/proc/9/maps", "");
	refuse(9, NULL, "cannot read the program");
	refuse(9, "libbar", "has no mapped file");
}

static int whole(void *arg)
{
	_cleanup_arena_ struct arena arena = { 0 };
	const char *path;
	int r = program_path_find(root, 0, "libbar", &arena, &path, NULL);

	return r == -ENOENT ? 0 : r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_libraries_in_directories), TEST(finds_libraries_in_the_cache),
		TEST(finds_programs_and_paths),	      TEST(finds_files_of_processes),
		TEST(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("program-path", tests, NULL, NULL);
}
