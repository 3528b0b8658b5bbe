/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/waits/wait-view.h"
#include "base/cleanup.h"

#define S  TASK_STATE_SLEEPING
#define D  TASK_STATE_BLOCKED
#define BY .waker.kind = WAKER_TASK, .waker.number

/* 0 waited 100 in total; 1 waited 110, but less often; 2 had the longest wait. */
static const struct task_span spans[] = {
	{ .task = 0, D, .start = 0, .end = 10, .syscall = 1, BY = 1 },
	{ .task = 0, S, .start = 10, .end = 40, .syscall = 1, BY = 1 },
	{ .task = 0, S, .start = 50, .end = 90, .syscall = 1, BY = 2 },
	{ .task = 0, S, .start = 100, .end = 120, .syscall = 2, BY = 1 },
	{ .task = 1, S, .start = 100, .end = 155, .syscall = 1, BY = 0 },
	{ .task = 1, S, .start = 200, .end = 255, .syscall = 1, BY = 0 },
	{ .task = 2, S, .start = 300, .end = 356, .syscall = 1, BY = 0 },
	{ .task = 0, S, SPAN_CUT, .start = 400, .end = 405, .syscall = 1, .at_end = true },
	{ .task = 0, S, SPAN_CLIPPED, .start = 0, .end = 1, .syscall = 1, BY = 2 },
};

static struct task_states_task tasks[] = { { .name = "b" }, { .name = "c" }, { .name = "a" } };
static struct task_states_task *places[] = { &tasks[0], &tasks[1], &tasks[2] };
static const struct task_states states = { .tasks = places, .n_tasks = 3 };

static int view_all(struct waits *waits, struct wait_view *view, enum wait_order order)
{
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++)
		waits_take(waits, &states, &spans[i]);
	return waits->nomem ? -ENOMEM : wait_view_init(view, waits, &states, order);
}

static void check_order(enum wait_order order, uint32_t first, uint32_t second, uint32_t third)
{
	struct waits waits = { 0 };
	struct wait_view view = { 0 };

	if (succeeds(view_all(&waits, &view, order) == 0)) {
		assert_int_equal(view.n_tasks, 3);
		assert_int_equal(view.tasks[0].task, first);
		assert_int_equal(view.tasks[1].task, second);
		assert_int_equal(view.tasks[2].task, third);
	}
	wait_view_done(&view);
	waits_done(&waits);
}

static void sorts(void **state)
{
	check_order(WAITS_BY_TOTAL, 1, 0, 2);
	check_order(WAITS_BY_COUNT, 0, 1, 2);
	check_order(WAITS_BY_MAX, 2, 1, 0);
	check_order(WAITS_BY_NAME, 2, 0, 1);
}

static void sums_by_place(void **state)
{
	struct waits waits = { 0 };
	struct wait_view view = { 0 };

	if (succeeds(view_all(&waits, &view, WAITS_BY_TOTAL) == 0)) {
		const struct wait_task *task = &view.tasks[1];

		assert_int_equal(task->tally.total, 100);
		assert_int_equal(task->tally.count, 4);
		assert_int_equal(task->tally.min, 10);
		assert_int_equal(task->tally.max, 40);
		assert_int_equal(task->tally.max_time, 50);
		assert_int_equal(spread_total(&task->tally.spread), 4);
		assert_int_equal(task->open, 1);
		assert_int_equal(task->begun, 1);
		assert_int_equal(tally_time(&task->tally), 106);
		assert_int_equal(task->n, 3);
		/* Sleeping in system call 1: woken by 2, by 1, and not woken. */
		assert_int_equal(task->groups[0].tally.total, 70);
		assert_int_equal(task->groups[0].n, 3);
		assert_int_equal(task->groups[0].sums[0]->waker.number, 2);
		assert_int_equal(task->groups[0].open, 1);
		assert_int_equal(task->groups[0].begun, 1);
		assert_int_equal(task->groups[0].tally.partial, 6);
		assert_int_equal(task->groups[1].sums[0]->syscall, 2);
		assert_int_equal(task->groups[2].sums[0]->state, D);
	}
	wait_view_done(&view);
	waits_done(&waits);
}

static int view_once(void *arg)
{
	struct waits waits = { 0 };
	struct wait_view view = { 0 };
	int r = view_all(&waits, &view, WAITS_BY_TOTAL);

	wait_view_done(&view);
	waits_done(&waits);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(view_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts),
		cmocka_unit_test(sums_by_place),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
