/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "record/rings/ring-tap.h"

#define PAGE 4096
#define ROOM 3 /* in pages */

struct bench {
	struct block_ring rings[2];
	struct ring_tap *tap;
};

/* The ring of a CPU: a page for each time, the last one partial. */
static void fill(unsigned cpu, const uint64_t *times, size_t n)
{
	uint64_t page[PAGE / 8];
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/per_cpu/cpu%u/trace_pipe_raw", cpu);
	tree_file(path, "");
	fd = openat(tree_fd(), path + 1, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++) {
		memset(page, 0xee, sizeof(page));
		page[0] = times[i];
		assert_int_equal(write(fd, page, i + 1 < n ? PAGE : 64), i + 1 < n ? PAGE : 64);
	}
	close(fd);
}

static void set_clock(const char *now)
{
	char text[128];

	snprintf(text, sizeof(text), "entries: 0\noverrun: 2\ndropped events: 3\nnow ts: %s\n",
		 now);
	tree_file("/per_cpu/cpu0/stats", text);
	tree_file("/per_cpu/cpu1/stats", text);
}

static int bench_init(struct bench *bench)
{
	struct ring_tap_source sources[2];

	*bench = (struct bench){ 0 };
	for (unsigned i = 0; i < 2; i++) {
		if (block_ring_init(&bench->rings[i], PAGE, ROOM) < 0)
			return -ENOMEM;
		sources[i] = (struct ring_tap_source){ tree_fd(), i, &bench->rings[i] };
	}
	return ring_tap_new(sources, 2, &bench->tap, NULL);
}

static void bench_done(struct bench *bench)
{
	ring_tap_free(bench->tap);
	block_ring_done(&bench->rings[0]);
	block_ring_done(&bench->rings[1]);
}

static void is_complete_up_to_the_previous_round(void **state)
{
	struct bench bench;
	uint64_t until = 99;

	fill(0, (uint64_t[]){ 100, 200 }, 2);
	fill(1, (uint64_t[]){ 150 }, 1);
	set_clock("500");
	if (succeeds(bench_init(&bench) == 0) && succeeds(ring_tap_lost(bench.tap) == 10)) {
		assert_int_equal(ring_tap_take(bench.tap, &until, NULL), 0);
		assert_int_equal(until, 0);
		assert_int_equal(bench.rings[0].end, 2);
		assert_int_equal(bench.rings[1].end, 1);
		/* The rest of a partial page is zeroed. */
		assert_int_equal(block_ring_get(&bench.rings[0], 0)[PAGE - 1], 0xee);
		assert_int_equal(block_ring_get(&bench.rings[0], 1)[63], 0xee);
		assert_int_equal(block_ring_get(&bench.rings[0], 1)[64], 0);
		assert_int_equal(block_ring_get(&bench.rings[0], 1)[PAGE - 1], 0);
		set_clock("900");
		assert_int_equal(ring_tap_take(bench.tap, &until, NULL), 0);
		assert_int_equal(until, 500);
		assert_int_equal(ring_tap_take_rest(bench.tap, &until, NULL), 0);
		assert_int_equal(until, UINT64_MAX);
	}
	bench_done(&bench);
}

static void a_full_ring_is_read_to_its_last_page(void **state)
{
	struct bench bench;
	uint64_t until = 0;

	fill(0, (uint64_t[]){ 100 }, 1);
	fill(1, (uint64_t[]){ 110, 210, 310, 410, 510 }, 5);
	set_clock("600");
	if (succeeds(bench_init(&bench) == 0)) {
		assert_int_equal(ring_tap_take(bench.tap, &until, NULL), 1);
		assert_int_equal(bench.rings[1].end, ROOM);
		assert_int_equal(ring_tap_take(bench.tap, &until, NULL), 1);
		assert_int_equal(until, 310);
		assert_int_equal(ring_tap_take_rest(bench.tap, &until, NULL), 1);
		assert_int_equal(until, 310);
		block_ring_drop(&bench.rings[1], ROOM);
		assert_int_equal(ring_tap_take_rest(bench.tap, &until, NULL), 0);
		assert_int_equal(until, UINT64_MAX);
		assert_int_equal(bench.rings[1].end, 5);
	}
	bench_done(&bench);
}

static void names_the_ring_that_cannot_be_read(void **state)
{
	struct ring_tap_source source = { tree_fd(), 7, NULL };
	struct fathom_err err = { 0 };
	struct ring_tap *tap;
	int r = ring_tap_new(&source, 1, &tap, &err);

	require(r != -ENOMEM);
	assert_int_equal(r, -ENOENT);
	assert_non_null(strstr(err.message, "CPU 7"));
}

static void requires_a_clock(void **state)
{
	struct bench bench;
	uint64_t until = 77;

	fill(0, (uint64_t[]){ 100 }, 1);
	fill(1, (uint64_t[]){ 110 }, 1);
	if (succeeds(bench_init(&bench) == 0)) {
		assert_true(ring_tap_take(bench.tap, &until, NULL) < 0);
		assert_int_equal(until, 77);
	}
	bench_done(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_complete_up_to_the_previous_round, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(a_full_ring_is_read_to_its_last_page, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(names_the_ring_that_cannot_be_read, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(requires_a_clock, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
