/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/cpu-holders.h"
#include "base/mem.h"

struct step {
	enum happening_kind kind;
	uint64_t time;
	int32_t pid, next;
	enum task_state state;
};

/* 7 is preempted by the recorder, then woken while 9 runs, then on an idle CPU; 8 does nothing that is recorded. */
static const struct step steps[] = {
	{ HAPPENING_SYSCALL_ENTRY, 100, 7 },
	{ HAPPENING_SWITCH, 110, 7, 50, TASK_STATE_RUNNABLE },
	{ HAPPENING_SWITCH, 150, 50, 7, TASK_STATE_SLEEPING },
	{ HAPPENING_SWITCH, 160, 7, 9, TASK_STATE_SLEEPING },
	{ HAPPENING_WAKING, 200, 9, 7 },
	{ HAPPENING_SWITCH, 210, 9, 7, TASK_STATE_RUNNABLE },
	{ HAPPENING_SWITCH, 220, 7, 0, TASK_STATE_SLEEPING },
	{ HAPPENING_WAKING, 300, 0, 7 },
	{ HAPPENING_SWITCH, 303, 0, 7, TASK_STATE_RUNNABLE },
	{ HAPPENING_WAKING, 310, 7, 8 },
	{ HAPPENING_SWITCH, 400, 50, 8, TASK_STATE_SLEEPING },
	{ 0 },
};

static int feed(struct cpu_holders *holders)
{
	for (const struct step *step = steps; step->time; step++) {
		struct fathom_event event = { .time = step->time, .pid = step->pid };
		struct happening happening = { .kind = step->kind, .event = &event };

		if (step->kind == HAPPENING_SWITCH) {
			happening.sched.prev_pid = step->pid;
			happening.sched.next_pid = step->next;
			happening.sched.prev = step->state;
			if (step->pid == 50)
				happening.sched.prev_name = (struct happening_name){ "fathom", 6 };
		} else if (step->kind == HAPPENING_WAKING) {
			happening.task.pid = step->next;
		}
		cpu_holders_feed(holders, &happening);
	}
	return cpu_holders_finish(holders);
}

static void tells_who_had_the_cpu(void **state)
{
	struct cpu_holders holders = { 0 };

	if (feed(&holders) == 0) {
		assert_int_equal(holders.n, 3);
		assert_int_equal(holders.list[0].pid, 50);
		assert_int_equal(holders.list[0].time, 40);
		assert_true(cpu_holder_is_recorder(&holders.list[0]));
		assert_int_equal(holders.list[1].pid, 9);
		assert_int_equal(holders.list[1].time, 10);
		assert_false(cpu_holder_is_recorder(&holders.list[1]));
		assert_int_equal(holders.list[2].pid, 0);
		assert_int_equal(holders.list[2].time, 3);
	} else {
		assert_true(mem_fault);
	}
	cpu_holders_done(&holders);
}

static int feed_once(void *arg)
{
	struct cpu_holders holders = { 0 };
	int r = feed(&holders);

	cpu_holders_done(&holders);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_who_had_the_cpu),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
