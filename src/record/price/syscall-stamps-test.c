/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "format/page/page-build.h"
#include "record/price/syscall-stamps.h"
#include "tree.h"

#define PAGE  4096
#define ENTRY 300
#define EXIT  299
#define OTHER 7

static void make_instance(void)
{
	tree_file("/events/header_page",
		  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	tree_file("/events/syscalls/sys_enter_getppid/id", "300\n");
	tree_file("/events/syscalls/sys_exit_getppid/id", "299\n");
	tree_dir("/per_cpu/cpu0");
	tree_dir("/per_cpu/cpu1");
	tree_file("/per_cpu/cpu0/trace_pipe_raw", "");
	tree_file("/per_cpu/cpu1/trace_pipe_raw", "");
}

struct stamp {
	uint16_t id;
	uint64_t time;
};

static void fill(const char *path, const struct stamp *stamps, size_t n, uint64_t missed)
{
	struct page_layout layout = page_layout_default(sizeof(long), PAGE, BYTES_HOST_BIG);
	struct page_build build;
	uint8_t page[PAGE];
	int fd = openat(tree_fd(), path, O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_true(fd >= 0);
	page_build_begin(&build, &layout, page);
	for (size_t i = 0; i < n; i++) {
		uint8_t *room = page_build_event(&build, stamps[i].time, 8);

		assert_non_null(room);
		memcpy(room, &stamps[i].id, sizeof(stamps[i].id));
	}
	page_build_end(&build, missed);
	assert_int_equal(write(fd, page, PAGE), PAGE);
	close(fd);
}

static void computes_the_median_of_all_rings(void **state)
{
	static const struct stamp first[] = { { ENTRY, 100 },  { EXIT, 700 },  { ENTRY, 1000 },
					      { OTHER, 1500 }, { EXIT, 9000 }, { ENTRY, 9100 } };
	static const struct stamp rest[] = { { EXIT, 9710 } };
	double ns = 0;

	make_instance();
	fill("per_cpu/cpu0/trace_pipe_raw", first, 6, 0);
	/* A call may continue on the next page, but not on another CPU. */
	fill("per_cpu/cpu0/trace_pipe_raw", rest, 1, 0);
	fill("per_cpu/cpu1/trace_pipe_raw", rest, 1, 0);
	require(syscall_stamps_take(tree_fd(), "getppid", &ns) == 0);
	assert_true(ns == 610);
}

static void an_event_may_be_lost(void **state)
{
	static const struct stamp begin[] = { { ENTRY, 100 } };
	static const struct stamp end[] = { { EXIT, 9000 }, { ENTRY, 9100 }, { EXIT, 9500 } };
	double ns = 0;

	make_instance();
	fill("per_cpu/cpu0/trace_pipe_raw", begin, 1, 0);
	fill("per_cpu/cpu0/trace_pipe_raw", end, 3, 2);
	require(syscall_stamps_take(tree_fd(), "getppid", &ns) == 0);
	assert_true(ns == 400);
}

static void there_may_be_no_events(void **state)
{
	static const struct stamp stamps[] = { { OTHER, 100 } };
	double ns = 77;

	make_instance();
	fill("per_cpu/cpu0/trace_pipe_raw", stamps, 1, 0);
	require(syscall_stamps_take(tree_fd(), "getppid", &ns) == -ENODATA);
	require(syscall_stamps_take(tree_fd(), "faccessat", &ns) == -ENOENT);
	assert_true(ns == 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(computes_the_median_of_all_rings, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(an_event_may_be_lost, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(there_may_be_no_events, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
