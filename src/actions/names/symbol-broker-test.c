/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which files the broker passes to a reader that asks for anything. */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/names/symbol-broker.h"

static struct broker broker = BROKER_NONE;

static int start(void **state)
{
	return symbol_broker_start(&broker, false, NULL);
}

static int stop(void **state)
{
	broker_done(&broker);
	return 0;
}

static int ask(const char *name)
{
	int fd = broker_open(&broker, name);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? 0 : fd;
}

static void opens_programs(void **state)
{
	assert_int_equal(ask("/bin/sh"), 0);
}

static void opens_nothing_else(void **state)
{
	char path[256];
	const char *root = tree_make();

	assert_int_equal(ask("/etc/passwd"), -ENOEXEC);
	assert_int_equal(ask("/dev/zero"), -EACCES);
	assert_int_equal(ask("/proc/self/mem"), -EACCES);
	assert_int_equal(ask("/proc/version"), -EACCES);
	assert_int_equal(ask("/"), -EACCES);
	assert_int_equal(ask("bin/sh"), -EACCES);
	assert_int_equal(ask("/nonexistent/file"), -ENOENT);
	/* Servers were not requested. */
	assert_int_equal(ask("debuginfod:executable:aabbccdd"), -EACCES);
	tree_file("/empty", "");
	snprintf(path, sizeof(path), "%s/empty", root);
	assert_int_equal(ask(path), -ENOEXEC);
	tree_remove();
}

static void checks_cache_names(void **state)
{
	assert_int_equal(ask("cache-open:../../../etc/passwd"), -ENOENT);
	assert_int_equal(ask("cache-open:"), -ENOENT);
	assert_int_equal(ask("cache-commit:abcdabcd"), -ENOENT);
	assert_int_equal(ask("cache-other:abcdabcd"), -ENOENT);
}

/* Another user may have put a link there, to a file of the user. */
static void does_not_follow_links_to_maps(void **state)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", 10000000 + (int)getpid());
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(ask(path), -ELOOP);
	unlink(path);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(ask(path), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
		assert_int_equal(ask(path), -EACCES);
	}
	unlink(path);
	assert_int_equal(ask(path), -ENOENT);
	assert_int_equal(ask("/tmp/perf-1x.map"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_programs),
		cmocka_unit_test(opens_nothing_else),
		cmocka_unit_test(checks_cache_names),
		cmocka_unit_test(does_not_follow_links_to_maps),
	};

	/* No cache directory. */
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, start, stop);
}
