/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/waits/waits.h"
#include "base/cleanup.h"

#define S	TASK_STATE_SLEEPING
#define D	TASK_STATE_BLOCKED
#define BY(who) .waker = { WAKER_TASK, .number = who }

enum {
	READ = 0,
	WRITE = 1
};

static int take_all(struct waits *waits, const struct task_span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++)
		waits_take(waits, NULL, &spans[i]);
	return waits->nomem ? -ENOMEM : 0;
}

static const struct task_span usual[] = {
	{ .task = 0, S, .start = 100, .end = 150, .syscall = READ, BY(1) },
	{ .task = 0, S, .start = 200, .end = 230, .syscall = READ, BY(1) },
	/* Another waker, another call, another state, another task. */
	{ .task = 0, S, .start = 300, .end = 301, .syscall = READ, .waker = { WAKER_HARDIRQ, 1 } },
	{ .task = 0, S, .start = 310, .end = 312, .syscall = WRITE, BY(1) },
	{ .task = 0, D, .start = 320, .end = 324, .syscall = READ, BY(1) },
	{ .task = 1, S, .start = 330, .end = 338, .syscall = READ, BY(1) },
	{ .task = 0, S, .start = 340, .end = 356, .syscall = SYSCALL_NONE, BY(1) },
	{ .task = 0, S, .start = 360, .end = 392, .syscall = SYSCALL_UNKNOWN, BY(1) },
	{ .task = 0, S, .start = 400, .end = 464, .syscall = READ, .with_queue = true },
	{ .task = 0, TASK_STATE_RUNNABLE, .start = 500, .end = 628, .syscall = READ },
	/* None of these is a wait with a time. */
	{ .task = 0, TASK_STATE_RUNNING, .start = 700, .end = 900 },
	{ .task = 0, S, SPAN_DOUBTFUL, .start = 900, .end = 5000, .syscall = READ },
	{ .task = 0, S, .start = 900, .end = 5000, .unwanted = true },
	{ .task = TASK_NONE, TASK_STATE_RUNNING, .start = 900, .end = 5000 },
	/* Nor are these, but they have a partial time. */
	{ .task = 0, S, SPAN_CUT, .start = 900, .end = 5000, .syscall = READ, .at_end = true },
	{ .task = 0, S, SPAN_CLIPPED, .start = 50, .end = 70, .syscall = READ, BY(1) },
};

static void distinguishes_waits(void **state)
{
	static const uint64_t totals[] = { 80, 1, 2, 4, 8, 16, 32, 64, 128 };
	struct waits waits = { 0 };

	if (succeeds(take_all(&waits, usual, ARRAY_SIZE(usual)) == 0)) {
		assert_int_equal(waits.n, ARRAY_SIZE(totals));
		for (size_t i = 0; i < waits.n; i++)
			assert_int_equal(waits.list[i].tally.total, totals[i]);
		assert_int_equal(waits.list[0].tally.count, 2);
		assert_int_equal(waits.list[0].tally.max, 50);
		assert_int_equal(waits.list[0].tally.max_time, 100);
		assert_int_equal(waits.list[0].begun, 1);
		assert_int_equal(waits.list[0].tally.partial, 20);
		assert_int_equal(waits.list[7].open, 1);
		assert_int_equal(waits.list[7].tally.partial, 4100);
		assert_int_equal(waits.doubtful, 1);
		assert_int_equal(waits.n_chains, 0);
	}
	waits_done(&waits);
}

static void check_chain(const struct wait_chain *chain, size_t n, const uint64_t *ends)
{
	assert_int_equal(chain->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(chain->links[i].end, ends[i]);
}

/* 0 waits for 1, which waits for 2, which a disk wakes; earlier waits are unrelated. */
static void follows_chains(void **state)
{
	static const struct task_span spans[] = {
		{ .task = 3, D, .start = 10, .end = 60, BY(4) },
		{ .task = 2, D, .start = 50, .end = 100, BY(3) },
		{ .task = 2, D, .start = 110, .end = 160, .waker = { WAKER_HARDIRQ, 1 } },
		{ .task = 1, S, .start = 120, .end = 170, BY(2) },
		/* The next wait of 2 does not change the cause of that of 1. */
		{ .task = 2, D, .start = 171, .end = 175, .waker = { WAKER_HARDIRQ, 1 } },
		{ .task = 0, S, .start = 130, .end = 180, BY(1) },
		/* Here, 1 was running all the time. */
		{ .task = 0, S, .start = 181, .end = 190, BY(1) },
		/* Only the first of the two had ended before this wait began. */
		{ .task = 4, S, .start = 165, .end = 400, BY(1) },
		/* A task that woke itself, or an idle kernel thread, waits for no other task. */
		{ .task = 4, S, .start = 500, .end = 800, BY(4) },
		{ .task = 5, TASK_STATE_IDLE, .start = 10, .end = 1000, BY(4) },
		/* The state of 1 is unknown now, and 2 is dead. */
		{ .task = 1, S, SPAN_DOUBTFUL, .start = 900, .end = 950 },
		{ .task = 2, TASK_STATE_RUNNING, .start = 175, .end = 960, .next = TASK_STATE_DEAD },
		{ .task = 6, S, .start = 150, .end = 1150, BY(1) },
		{ .task = 6, S, .start = 100, .end = 1200, BY(2) },
	};
	struct waits waits = { .max_chains = 5 };

	if (succeeds(take_all(&waits, spans, ARRAY_SIZE(spans)) == 0)) {
		assert_int_equal(waits.n_chains, 5);
		check_chain(&waits.chains[0], 1, (uint64_t[]){ 1200 });
		check_chain(&waits.chains[1], 1, (uint64_t[]){ 1150 });
		check_chain(&waits.chains[2], 1, (uint64_t[]){ 800 });
		check_chain(&waits.chains[3], 2, (uint64_t[]){ 400, 170 });
		/* Several are 50 long: the first of them. */
		check_chain(&waits.chains[4], 1, (uint64_t[]){ 60 });
	}
	waits_done(&waits);
	waits = (struct waits){ .max_chains = 20 };
	if (succeeds(take_all(&waits, spans, ARRAY_SIZE(spans)) == 0)) {
		assert_int_equal(waits.n_chains, 11);
		check_chain(&waits.chains[5], 2, (uint64_t[]){ 100, 60 });
		check_chain(&waits.chains[8], 3, (uint64_t[]){ 180, 170, 160 });
		check_chain(&waits.chains[9], 1, (uint64_t[]){ 190 });
	}
	waits_done(&waits);
}

static void chains_are_finite(void **state)
{
	struct waits waits = { .max_chains = 1 };

	for (uint32_t i = 0; i < 2 * WAIT_LINKS_MAX; i++)
		waits_take(&waits, NULL,
			   &(struct task_span){
				   .task = i, S, .start = 100, .end = 200 + i, BY(i - 1) });
	if (succeeds(!waits.nomem)) {
		assert_int_equal(waits.n_chains, 1);
		assert_int_equal(waits.chains[0].n, WAIT_LINKS_MAX);
		assert_int_equal(waits.chains[0].links[WAIT_LINKS_MAX - 1].task, WAIT_LINKS_MAX);
	}
	waits_done(&waits);
}

static int take_usual(void *arg)
{
	struct waits waits = { .max_chains = 3 };
	int r = take_all(&waits, usual, ARRAY_SIZE(usual));

	waits_done(&waits);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(take_usual, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishes_waits),
		cmocka_unit_test(follows_chains),
		cmocka_unit_test(chains_are_finite),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
