/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "in-child.h"
#include "temp-file.h"
#include "test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "process/pager.h"

/* More than the pager process holds back. */
#define TEXT_SIZE (1U << 20)

static int output; /* of the child */

/* Serves the text in temp_path to a pager that marks the first line. Standard output is a file. */
static int serve(void)
{
	int input = open(temp_path, O_RDONLY | O_CLOEXEC);

	if (input < 0 || dup2(output, STDOUT_FILENO) < 0)
		return 2;
	pager_serve("sed '1s/^/paged /'", input);
}

static int serve_without_pipe(void)
{
	int input = open(temp_path, O_RDONLY | O_CLOEXEC);

	if (input < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0 }) < 0)
		return 2;
	pager_serve("sed '1s/^/paged /'", input);
}

/* Compares what @serving writes with @prefix and the text. */
static void check_output(int (*serving)(void), const char *prefix)
{
	_cleanup_free_ char *text = malloc(TEXT_SIZE);
	_cleanup_strbuf_ struct strbuf want = { 0 }, got = { 0 };
	_cleanup_close_ int to = memfd_create("output", MFD_CLOEXEC);
	_cleanup_close_ int file = open(temp_path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	require(text && to >= 0 && file >= 0);
	for (size_t i = 0; i < TEXT_SIZE; i++)
		text[i] = i % 64 == 63 ? '\n' : (char)('a' + i / 64 % 26);
	require(file_write_bytes(file, text, TEXT_SIZE) == 0);
	strbuf_adds(&want, prefix);
	strbuf_add(&want, text, TEXT_SIZE);
	output = to;
	assert_int_equal(in_child(serving), 0);
	require(lseek(to, 0, SEEK_SET) == 0 && file_read_open(to, &got) == 0);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(strbuf_str(&got), strbuf_str(&want), want.len);
}

static void long_text_goes_to_the_pager(void **state)
{
	check_output(serve, "paged ");
}

static void no_text_is_lost_without_a_pager(void **state)
{
	check_output(serve_without_pipe, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_text_goes_to_the_pager),
		cmocka_unit_test(no_text_is_lost_without_a_pager),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
