/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/waits/sched.h"

/*
 * Task 0 runs twice, is preempted, migrates, waits and sleeps; some spans are only partially known.
 */
static const struct task_span spans[] = {
	{ .task = TASK_NONE,
	  TASK_STATE_RUNNING,
	  .start = 50,
	  .end = 100,
	  .next = TASK_STATE_RUNNABLE },
	{ .task = 0, TASK_STATE_RUNNING, .start = 100, .end = 140, .next = TASK_STATE_RUNNABLE },
	{ .task = 0, TASK_STATE_RUNNABLE, .start = 140, .end = 150, .cpu = 1, .was_preempted = true },
	{ .task = 0,
	  TASK_STATE_RUNNING,
	  .start = 150,
	  .end = 170,
	  .cpu = 1,
	  .next = TASK_STATE_BLOCKED,
	  .migrated = true },
	{ .task = 0, TASK_STATE_BLOCKED, .start = 170, .end = 200 },
	{ .task = 0, TASK_STATE_RUNNABLE, .start = 200, .end = 230, .cpu = 1 },
	{ .task = 0, TASK_STATE_RUNNABLE, SPAN_DOUBTFUL, .start = 230, .end = 1000, .cpu = 1 },
	{ .task = 0, TASK_STATE_SLEEPING, SPAN_DOUBTFUL, .start = 230, .end = 1000, .cpu = 1 },
	{ .task = 0,
	  TASK_STATE_RUNNING,
	  SPAN_CUT,
	  .start = 230,
	  .end = 1000,
	  .cpu = 2,
	  .at_end = true },
	/*
	 * Spans across the window's borders count only their time; this one does not even have a
	 * time.
	 */
	{ .task = 1, TASK_STATE_RUNNING, SPAN_CUT, .end = 30, .next = TASK_STATE_SLEEPING },
	{ .task = 1,
	  TASK_STATE_RUNNABLE,
	  SPAN_CUT,
	  .start = 900,
	  .end = 1000,
	  .cpu = UINT32_MAX,
	  .at_end = true },
	{ .task = 1, TASK_STATE_RUNNING, SPAN_CLIPPED, .start = 20, .end = 70, .cpu = 3 },
	{ .task = 1, TASK_STATE_SLEEPING, SPAN_CLIPPED, .start = 20, .end = 28 },
	{ .task = 1, TASK_STATE_BLOCKED, SPAN_CUT, .start = 28, .end = 29, .at_end = true },
	{ .task = TASK_NONE,
	  TASK_STATE_RUNNING,
	  SPAN_CUT,
	  .start = 990,
	  .end = 1000,
	  .cpu = 3,
	  .at_end = true },
	{ .task = 0, TASK_STATE_RUNNING, .start = 230, .end = 1000, .unwanted = true },
};

static int take_all(struct sched *sched)
{
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		sched_take(sched, NULL, &spans[i]);
	return sched->nomem ? -ENOMEM : 0;
}

static void computes_sums(void **state)
{
	struct sched sched = { 0 };

	if (succeeds(take_all(&sched) == 0)) {
		const struct sched_task *task = &sched.tasks[0];

		assert_int_equal(task->run.count, 2);
		assert_int_equal(task->run.total, 60);
		assert_int_equal(task->run.min, 20);
		assert_int_equal(task->run.max, 40);
		assert_int_equal(task->latency.count, 2);
		assert_int_equal(task->latency.total, 40);
		assert_int_equal(task->latency.max, 30);
		assert_int_equal(task->latency.max_time, 200);
		assert_int_equal(task->asleep[TASK_STATE_BLOCKED], 30);
		assert_int_equal(task->asleep[TASK_STATE_SLEEPING], 0);
		assert_int_equal(task->preempted, 1);
		assert_int_equal(task->voluntary, 1);
		assert_int_equal(task->migrations, 1);
		assert_int_equal(task->cut, 1);
		assert_int_equal(task->doubtful, 2);
		assert_int_equal(sched.doubtful, 2);
		assert_int_equal(sched.cpus[0].busy, 40);
		assert_int_equal(sched.cpus[0].idle, 50);
		assert_int_equal(sched.cpus[0].switches, 3);
		assert_int_equal(sched.cpus[1].busy, 20);
		assert_int_equal(sched.cpus[1].switches, 1);
		assert_int_equal(sched.cpus[1].latency.total, 40);
		assert_int_equal(sched.cpus[1].migrations, 1);
		assert_int_equal(task->run.partial, 770);
		task = &sched.tasks[1];
		assert_int_equal(task->run.count, 0);
		assert_int_equal(task->run.partial, 50);
		assert_int_equal(task->latency.count, 0);
		assert_int_equal(task->latency.partial, 100);
		assert_int_equal(task->asleep[TASK_STATE_SLEEPING], 8);
		assert_int_equal(task->asleep[TASK_STATE_BLOCKED], 1);
		assert_int_equal(task->cut, 5);
		assert_int_equal(sched.cpus[2].busy, 770);
		assert_int_equal(sched.cpus[3].busy, 50);
		assert_int_equal(sched.cpus[3].idle, 10);
		assert_int_equal(sched.n_cpus, 4);
	}
	sched_done(&sched);
}

static int take_once(void *arg)
{
	struct sched sched = { 0 };
	int r = take_all(&sched);

	sched_done(&sched);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(take_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_sums),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
