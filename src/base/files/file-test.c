/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>

#include "base/files/file.h"
#include "temp-file.h"

static void reads_written_data(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char line[8];

	assert_int_equal(file_write(AT_FDCWD, temp_path, O_TRUNC, "first line\nsecond\n"), 0);
	if (succeeds(file_read(AT_FDCWD, temp_path, &buf) == 0))
		assert_string_equal(strbuf_str(&buf), "first line\nsecond\n");
	assert_int_equal(file_read_line(AT_FDCWD, temp_path, line, sizeof(line)), 7);
	assert_string_equal(line, "first l");
}

static void reads_a_file_without_a_size(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (succeeds(file_read(AT_FDCWD, "/proc/self/status", &buf) == 0))
		assert_non_null(strstr(strbuf_str(&buf), "Pid:"));
}

static void reports_the_reason(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char line[8];

	assert_int_equal(file_read(AT_FDCWD, "/nowhere", &buf), -ENOENT);
	assert_int_equal(file_read_line(AT_FDCWD, "/nowhere", line, sizeof(line)), -ENOENT);
	assert_int_equal(file_write(AT_FDCWD, "/nowhere/x", 0, "x"), -ENOENT);
	assert_int_equal(file_read(AT_FDCWD, "/", &buf), -EISDIR);
}

static void writes_all_or_truncates(void **state)
{
	char line[16];

	assert_int_equal(file_write_all(AT_FDCWD, temp_path, O_TRUNC, "one two\n"), 0);
	assert_int_equal(file_write_all(AT_FDCWD, temp_path, O_APPEND, "three\n"), 0);
	assert_int_equal(file_read_line(AT_FDCWD, temp_path, line, sizeof(line)), 7);
	assert_int_equal(file_write_all(AT_FDCWD, temp_path, O_TRUNC, ""), 0);
	assert_int_equal(file_read_line(AT_FDCWD, temp_path, line, sizeof(line)), 0);
	assert_int_equal(file_write_all(AT_FDCWD, "/dev/full", 0, "x"), -ENOSPC);
	assert_int_equal(file_write_all(AT_FDCWD, "/nowhere/x", 0, "x"), -ENOENT);
}

static int read_status(void *arg)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	return file_read(AT_FDCWD, "/proc/self/status", &buf);
}

static void survives_failing_allocations(void **state)
{
	oom_check(read_status, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_written_data),
		cmocka_unit_test(reads_a_file_without_a_size),
		cmocka_unit_test(reports_the_reason),
		cmocka_unit_test(writes_all_or_truncates),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
