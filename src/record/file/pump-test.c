/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings are files here, which end where a ring would be empty. */
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/file/pump.h"
#include "temp-file.h"

#define PAGE  4096
#define START (3 * PAGE)

struct bench {
	int file;
	struct trace_out_stream streams[2];
	struct pump *pump;
};

/* A ring with pages of one byte each: 1, 2, and so on. */
static void fill(const char *path, unsigned char pages)
{
	char page[PAGE];
	int fd;

	tree_file(path, "");
	fd = openat(tree_fd(), path + 1, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (int i = 1; i <= pages; i++) {
		memset(page, i, sizeof(page));
		assert_int_equal(write(fd, page, sizeof(page)), PAGE);
	}
	close(fd);
}

static int bench_init(struct bench *bench, struct pump_options options, struct fathom_err *err)
{
	struct pump_source sources[2];

	*bench = (struct bench){ .file = open(temp_path, O_RDWR | O_TRUNC | O_CLOEXEC) };
	assert_true(bench->file >= 0);
	for (unsigned i = 0; i < 2; i++) {
		bench->streams[i] = (struct trace_out_stream){ .fd = bench->file,
							       .cpu = i,
							       .page_size = PAGE,
							       .start = START + i * 100 * PAGE,
							       .limit = 10 * PAGE };
		sources[i] = (struct pump_source){ tree_fd(), &bench->streams[i] };
	}
	return pump_new(sources, 2, &options, &bench->pump, err);
}

static void bench_done(struct bench *bench)
{
	pump_free(bench->pump);
	close(bench->file);
}

static void check_stream(const struct bench *bench, unsigned i, uint64_t pages)
{
	assert_int_equal(bench->streams[i].size, pages * PAGE);
	for (uint64_t n = 0; n < pages; n++) {
		unsigned char page[PAGE];

		assert_int_equal(pread(bench->file, page, PAGE,
				       (off_t)(bench->streams[i].start + n * PAGE)),
				 PAGE);
		assert_int_equal(page[0], n + 1);
		assert_int_equal(page[PAGE - 1], n + 1);
	}
}

/* Waits while the pump runs, for at most ten seconds. */
static bool arrives(const struct bench *bench, unsigned i, uint64_t pages)
{
	for (int n = 0; n < 10000; n++) {
		if (bench->streams[i].size >= pages * PAGE)
			return true;
		usleep(1000);
	}
	return false;
}

static void moves_all_pages(struct pump_options options, const char *first, const char *second)
{
	struct bench bench;
	const pid_t *threads;
	size_t n;

	fill(first, 5);
	fill(second, 2);
	if (succeeds(bench_init(&bench, options, NULL) == 0)) {
		threads = pump_threads(bench.pump, &n);
		assert_int_equal(n, 2);
		assert_true(threads[0] > 0 && threads[1] > 0 && threads[0] != threads[1]);
		/* Nothing moves before pump_go(). */
		assert_int_equal(bench.streams[0].size, 0);
		pump_go(bench.pump);
		assert_true(arrives(&bench, 0, 5));
		assert_true(arrives(&bench, 1, 2));
		pump_flush(bench.pump);
		assert_int_equal(pump_stop(bench.pump, NULL), 0);
		check_stream(&bench, 0, 5);
		check_stream(&bench, 1, 2);
	}
	bench_done(&bench);
}

static void moves_pages_while_it_runs(void **state)
{
	moves_all_pages((struct pump_options){ 0 }, "/per_cpu/cpu0/trace_pipe_raw",
			"/per_cpu/cpu1/trace_pipe_raw");
}

static void moves_pages_at_intervals(void **state)
{
	moves_all_pages((struct pump_options){ .interval_us = 500 }, "/per_cpu/cpu0/trace_pipe_raw",
			"/per_cpu/cpu1/trace_pipe_raw");
}

static void moves_pages_of_a_snapshot(void **state)
{
	moves_all_pages((struct pump_options){ .snapshot = true }, "/per_cpu/cpu0/snapshot_raw",
			"/per_cpu/cpu1/snapshot_raw");
}

static void the_end_reads_remaining_data(void **state)
{
	struct bench bench;

	fill("/per_cpu/cpu0/trace_pipe_raw", 4);
	fill("/per_cpu/cpu1/trace_pipe_raw", 0);
	if (succeeds(bench_init(&bench, (struct pump_options){ 0 }, NULL) == 0)) {
		/* It never ran. */
		assert_int_equal(pump_stop(bench.pump, NULL), 0);
		check_stream(&bench, 0, 4);
		check_stream(&bench, 1, 0);
	}
	bench_done(&bench);
}

static void reports_an_early_end(void **state)
{
	struct fathom_err err = { 0 };
	struct bench bench;

	fill("/per_cpu/cpu0/trace_pipe_raw", 3);
	fill("/per_cpu/cpu1/trace_pipe_raw", 11); /* more than there is room for */
	if (succeeds(bench_init(&bench, (struct pump_options){ 0 }, NULL) == 0)) {
		struct pollfd failed = { .fd = pump_fd(bench.pump), .events = POLLIN };

		assert_int_equal(poll(&failed, 1, 0), 0);
		pump_go(bench.pump);
		assert_int_equal(poll(&failed, 1, 10000), 1);
		assert_true(arrives(&bench, 0, 3));
		assert_int_equal(pump_stop(bench.pump, &err), -EFBIG);
		assert_non_null(strstr(err.message, "CPU 1"));
		check_stream(&bench, 0, 3);
		assert_true(bench.streams[1].size <= bench.streams[1].limit);
	}
	bench_done(&bench);
}

static void names_the_ring_that_cannot_be_opened(void **state)
{
	struct fathom_err err = { 0 };
	struct bench bench;
	int r;

	fill("/per_cpu/cpu0/trace_pipe_raw", 1);
	r = bench_init(&bench, (struct pump_options){ 0 }, &err);
	bench_done(&bench);
	require(r != -ENOMEM);
	assert_int_equal(r, -ENOENT);
	assert_non_null(strstr(err.message, "CPU 1"));
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TREE(moves_pages_while_it_runs),
		WITH_TREE(moves_pages_at_intervals),
		WITH_TREE(moves_pages_of_a_snapshot),
		WITH_TREE(the_end_reads_remaining_data),
		WITH_TREE(reports_an_early_end),
		WITH_TREE(names_the_ring_that_cannot_be_opened),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}
