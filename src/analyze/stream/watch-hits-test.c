/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/stream/watch-hits.h"

#include <linux/perf_event.h>

#include "kernel/perf/watch-raw.h"
#include "test.h"

static bool write_at(struct watch_hits *hits, int32_t pid, uint64_t value, uint32_t which,
		     struct watch_hit *hit)
{
	struct watch_raw raw = { .value = value, .which = which, .comm = "prog" };
	struct perf_record record = { .kind = PERF_SAMPLE,
				      .misc = PERF_RECORD_MISC_USER,
				      .pid = pid,
				      .tid = pid + 1,
				      .time = 5,
				      .ip = 0x1000,
				      .raw = (const uint8_t *)&raw,
				      .raw_size = sizeof(raw) };

	return watch_hits_feed(hits, &record, hit);
}

static void fork_to(struct watch_hits *hits, int32_t parent, int32_t pid)
{
	struct perf_record record = { .kind = PERF_FORK, .pid = pid, .parent_pid = parent };
	struct watch_hit hit;

	assert_false(watch_hits_feed(hits, &record, &hit));
}

static void exec(struct watch_hits *hits, int32_t pid)
{
	struct perf_record record = {
		.kind = PERF_COMM, .pid = pid, .is_exec = true, .name = "other"
	};
	struct watch_hit hit;

	assert_false(watch_hits_feed(hits, &record, &hit));
}

static void start(struct watch_hits *hits, int32_t pid)
{
	struct watch_values values = { .list = { 7 }, .known = { true } };

	assert_int_equal(watch_hits_start(hits, pid, &values), 0);
}

static void test_previous_value(void **state)
{
	struct watch_hits hits = { 0 };
	struct watch_hit hit;

	start(&hits, 100);
	assert_true(write_at(&hits, 100, 1, 0, &hit));
	assert_true(hit.has_old && hit.old == 7 && hit.value == 1);
	assert_string_equal(hit.comm, "prog");
	assert_int_equal(hit.tid, 101);
	assert_false(hit.in_kernel);
	assert_true(write_at(&hits, 100, 2, 0, &hit));
	assert_int_equal(hit.old, 1);
	/* Another place, with an unknown value. */
	assert_true(write_at(&hits, 100, 9, 1, &hit));
	assert_false(hit.has_old);
	assert_false(write_at(&hits, 100, 9, WATCH_PLACES_MAX, &hit));
	assert_int_equal(hits.count, 3);
	watch_hits_done(&hits);
}

/* A child has a copy of its parent's memory. */
static void test_fork(void **state)
{
	struct watch_hits hits = { 0 };
	struct watch_hit hit;

	start(&hits, 100);
	assert_true(write_at(&hits, 100, 1, 0, &hit));
	fork_to(&hits, 100, 200);
	assert_true(write_at(&hits, 100, 2, 0, &hit));
	assert_true(write_at(&hits, 200, 3, 0, &hit));
	assert_int_equal(hit.old, 1);
	assert_true(write_at(&hits, 100, 4, 0, &hit));
	assert_int_equal(hit.old, 2);
	/* A new thread changes nothing. */
	fork_to(&hits, 100, 100);
	assert_true(write_at(&hits, 100, 5, 0, &hit));
	assert_int_equal(hit.old, 4);
	watch_hits_done(&hits);
}

/* In another program, the same address has another meaning. */
static void test_exec(void **state)
{
	struct watch_hits hits = { 0 };
	struct watch_hit hit;

	start(&hits, 100);
	fork_to(&hits, 100, 200);
	exec(&hits, 200);
	assert_false(write_at(&hits, 200, 3, 0, &hit));
	assert_int_equal(hits.strange, 1);
	/* The pid is reused by a child of a watched process. */
	fork_to(&hits, 100, 200);
	assert_true(write_at(&hits, 200, 3, 0, &hit));
	/* The pid is reused by an unrelated process. */
	fork_to(&hits, 999, 200);
	assert_false(write_at(&hits, 200, 3, 0, &hit));
	watch_hits_done(&hits);
}

static void test_kernel(void **state)
{
	struct watch_hits hits = { .is_kernel = true };
	struct watch_hit hit;

	start(&hits, 0);
	assert_true(write_at(&hits, 100, 1, 0, &hit));
	exec(&hits, 100);
	assert_true(write_at(&hits, 200, 2, 0, &hit));
	assert_int_equal(hit.old, 1);
	watch_hits_done(&hits);
}

static void test_maps(void **state)
{
	struct user_maps maps = { 0 };
	struct watch_hits hits = { .maps = &maps };
	struct perf_record record = { .kind = PERF_MAPPING,
				      .pid = 100,
				      .start = 0x4000,
				      .length = 0x1000,
				      .executable = true,
				      .name = "/bin/x" };
	struct watch_hit hit;
	bool known;

	start(&hits, 100);
	assert_false(watch_hits_feed(&hits, &record, &hit));
	assert_non_null(user_maps_find(&maps, 100, 1, 0x4100, &known));
	record.pid = 300;
	assert_false(watch_hits_feed(&hits, &record, &hit));
	assert_null(user_maps_find(&maps, 300, 1, 0x4100, &known));
	assert_false(known);
	watch_hits_done(&hits);
	user_maps_done(&maps);
}

static int oom_feed(void *arg)
{
	struct watch_hits hits = { 0 };
	struct watch_values values = { 0 };
	struct watch_hit hit;
	int r = watch_hits_start(&hits, 100, &values);

	for (int32_t pid = 100; r == 0 && pid < 120; pid++)
		if (!write_at(&hits, pid, 1, 0, &hit))
			r = hits.nomem ? -ENOMEM : -EINVAL;
	watch_hits_done(&hits);
	return r;
}

static void test_memory(void **state)
{
	oom_check(oom_feed, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_previous_value), cmocka_unit_test(test_fork),
		cmocka_unit_test(test_exec),	       cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_maps),	       cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
