/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/calls/counts.h"

struct step {
	uint64_t time;
	uint16_t id;
	int32_t pid;
	uint32_t cpu;
	uint64_t missed, func;
	bool unwanted;
};

/* The clock of the second CPU is slightly behind. */
static const struct step steps[] = {
	{ 100, 5, 7, 0 },
	{ 90, 5, 8, 1, .missed = 3 },
	{ 120, 6, 7, 1, .missed = FATHOM_MISSED_UNKNOWN, .func = 0x1000 },
	{ 130, 5, 0, 1, .missed = 2, .unwanted = true },
	{ 140, 6, -1, 1, .func = 0x2000 },
	{ 150, 6, 7, 0, .func = 0x1000 },
};

static int feed(struct counts *counts)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct fathom_event event = { .time = steps[i].time,
						    .id = steps[i].id,
						    .pid = steps[i].pid,
						    .cpu = steps[i].cpu,
						    .missed = steps[i].missed };
		struct decoded_event decoded = { .kind = steps[i].func ? DECODED_FUNCTION :
									 DECODED_OTHER,
						 .event = &event,
						 .unwanted = steps[i].unwanted };

		decoded.call.func = steps[i].func;
		counts_feed(counts, &decoded);
	}
	return counts_finish(counts);
}

static void check(const struct counts *counts, uint64_t key, uint64_t n, uint64_t first,
		  uint64_t last)
{
	for (size_t i = 0; i < counts->n; i++) {
		const struct count *count = &counts->list[i];

		if (count->key != key)
			continue;
		assert_int_equal(count->n, n);
		assert_int_equal(count->first, first);
		assert_int_equal(count->last, last);
		return;
	}
	fail_msg("%d is missing", (int)key);
}

static void counts_by_event(void **state)
{
	struct counts counts = { .by = COUNTS_BY_EVENT };

	if (succeeds(feed(&counts) == 0)) {
		assert_int_equal(counts.n, 2);
		check(&counts, 5, 2, 90, 100);
		check(&counts, 6, 3, 120, 150);
	}
	counts_done(&counts);
}

static void counts_by_task(void **state)
{
	struct counts counts = { .by = COUNTS_BY_TASK };

	if (succeeds(feed(&counts) == 0)) {
		assert_int_equal(counts.n, 3);
		check(&counts, 7, 3, 100, 150);
		check(&counts, 8, 1, 90, 90);
		check(&counts, UINT32_MAX, 1, 140, 140);
	}
	counts_done(&counts);
}

/* Lost events count even if the following event does not. */
static void counts_by_cpu(void **state)
{
	struct counts counts = { .by = COUNTS_BY_CPU };

	if (succeeds(feed(&counts) == 0)) {
		assert_int_equal(counts.n, 2);
		check(&counts, 0, 2, 100, 150);
		check(&counts, 1, 3, 90, 140);
		assert_int_equal(counts.list[0].lost, 0);
		assert_false(counts.list[0].lost_unknown);
		assert_int_equal(counts.list[1].lost, 5);
		assert_true(counts.list[1].lost_unknown);
	}
	counts_done(&counts);
}

static void counts_by_function(void **state)
{
	struct counts counts = { .by = COUNTS_BY_FUNCTION };

	if (succeeds(feed(&counts) == 0)) {
		assert_int_equal(counts.n, 2);
		check(&counts, 0, 2, 120, 150);
		check(&counts, 1, 1, 140, 140);
		assert_int_equal(counts.funcs.list[0].address, 0x1000);
	}
	counts_done(&counts);
}

static int feed_functions(void *arg)
{
	struct counts counts = { .by = COUNTS_BY_FUNCTION };
	int r = feed(&counts);

	counts_done(&counts);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_functions, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_event),
		cmocka_unit_test(counts_by_task),
		cmocka_unit_test(counts_by_cpu),
		cmocka_unit_test(counts_by_function),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
