/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/time-account.h"
#include "base/cleanup.h"
#include "base/mem.h"

enum {
	RUNNABLE = TASK_STATE_RUNNABLE,
	SLEEPS = TASK_STATE_SLEEPING,
	DISK = TASK_STATE_BLOCKED,
	ZOMBIE = TASK_STATE_DEAD,
	PREEMPTED = TASK_STATE_RUNNABLE,
	READ = 0,
	NANOSLEEP = 230,
};

/* What happens: then the state and the next pid, the number of a call, a depth, or who is woken. */
struct step {
	enum happening_kind kind;
	uint64_t time;
	int32_t pid;
	int64_t what;
	int32_t next;
	uint32_t cpu;
	uint64_t missed;
};

#define SWITCH HAPPENING_SWITCH
#define ENTRY  HAPPENING_SYSCALL_ENTRY
#define EXIT   HAPPENING_SYSCALL_EXIT

static int feed(const struct step *steps, struct time_account *account, uint64_t sums[TIME_KINDS])
{
	for (; steps->time; steps++) {
		struct fathom_event event = { .time = steps->time,
					      .pid = steps->pid,
					      .cpu = steps->cpu,
					      .missed = steps->missed };
		struct happening happening = { .kind = steps->kind, .event = &event };

		switch (steps->kind) {
		case SWITCH:
			happening.sched.prev_pid = steps->pid;
			happening.sched.next_pid = steps->next;
			happening.sched.prev = (enum task_state)steps->what;
			break;
		case HAPPENING_WAKING:
			happening.task.pid = (int32_t)steps->what;
			break;
		case HAPPENING_CALL:
		case HAPPENING_RETURN:
			happening.call.depth = (int)steps->what;
			break;
		default:
			happening.call_number.number = steps->what;
		}
		time_account_feed(account, &happening);
	}
	return time_account_finish(account, sums);
}

static void expect_times(const uint64_t *sums, const uint64_t wanted[TIME_KINDS])
{
	static const char *const names[] = { "user",	 "kernel", "waiting",
					     "runnable", "stolen", "unknown" };

	for (size_t i = 0; i < TIME_KINDS; i++)
		if (sums[i] != wanted[i])
			fail_msg("%s: %llu, not %llu", names[i], (unsigned long long)sums[i],
				 (unsigned long long)wanted[i]);
}

static const struct step usual[] = {
	{ ENTRY, 100, 7, READ },
	{ EXIT, 130, 7, READ }, /* 30 kernel */
	{ HAPPENING_IRQ_ENTRY, 150, 7, 3 }, /* 20 user */
	{ HAPPENING_IRQ_EXIT, 155, 7, 3 }, /* 5 stolen */
	{ ENTRY, 160, 7, NANOSLEEP }, /* 5 user */
	{ SWITCH, 170, 7, SLEEPS, 0 }, /* 10 kernel */
	{ HAPPENING_CALL, 171, 7, 4 }, /* the end of switching */
	{ HAPPENING_RETURN, 172, 7, 4 },
	{ HAPPENING_WAKING, 270, 9, 7 }, /* 100 waiting */
	{ SWITCH, 280, 0, RUNNABLE, 7 }, /* 10 runnable */
	{ EXIT, 285, 7, NANOSLEEP }, /* 5 kernel: the function at depth 4 is over, 4 are open */
	{ HAPPENING_RETURN, 286, 7, 0 }, /* 1 kernel */
	{ SWITCH, 300, 7, PREEMPTED, 8 }, /* 14 user */
	{ SWITCH, 350, 8, SLEEPS, 7, .cpu = 1 }, /* 50 runnable */
	{ HAPPENING_FAULT, 360, 7, .cpu = 1 }, /* 10 user */
	{ HAPPENING_CALL, 361, 7, 0, .cpu = 1 }, /* 1 user, which is the kernel's already */
	{ SWITCH, 365, 7, DISK, 0, .cpu = 1 }, /* 4 kernel */
	{ SWITCH, 395, 0, RUNNABLE, 7 }, /* 30 waiting */
	{ HAPPENING_RETURN, 400, 7, 0 }, /* 5 kernel */
	{ ENTRY, 410, 7, 60 }, /* 10 user */
	{ SWITCH, 415, 7, ZOMBIE, 0 }, /* 5 kernel */
	{ 0 },
};

static void each_moment_counts_once(void **state)
{
	static const uint64_t wanted[TIME_KINDS] = { 60, 60, 130, 60, 5, 0 };
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS], all = 0;

	if (feed(usual, &account, sums) == 0) {
		expect_times(sums, wanted);
		for (size_t i = 0; i < TIME_KINDS; i++)
			all += sums[i];
		assert_int_equal(all, account.tasks[0].last - account.tasks[0].first);
		assert_int_equal(account.tasks[0].waits, 2);
		assert_int_equal(account.tasks[0].preempted, 1);
		assert_int_equal(account.tasks[0].migrations, 2);
		assert_int_equal(account.n_waits, 2);
		assert_int_equal(account.waits[0].syscall, NANOSLEEP);
		assert_int_equal(account.waits[0].total, 100);
		assert_int_equal(account.waits[0].longest_time, 170);
		assert_false(account.waits[0].disk);
		assert_int_equal(account.waits[1].syscall, -1);
		assert_true(account.waits[1].disk && account.waits[1].fault);
		assert_int_equal(account.n_wakers, 1);
		assert_int_equal(account.wakers[0].pid, 9);
		assert_int_equal(account.kept_off.start, 300);
		assert_int_equal(account.kept_off.total, 50);
		assert_int_equal(account.kept_off.pid, 7);
		/* Others were only seen to run. */
		for (size_t i = 1; i < account.n_tasks; i++)
			assert_false(account.tasks[i].acted);
	} else {
		assert_true(mem_fault);
	}
	time_account_done(&account);
}

static void lost_events_make_no_times(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },
		{ SWITCH, 110, 7, SLEEPS, 0 }, /* 10 kernel */
		{ ENTRY, 500, 7, READ, .missed = 9 }, /* 390 unknown */
		{ EXIT, 510, 7, READ }, /* 10 kernel */
		{ ENTRY, 520, 7, READ }, /* 10 user */
		{ SWITCH, 530, 7, SLEEPS, 0 }, /* 10 kernel */
		{ ENTRY, 600, 9, READ, .cpu = 1, .missed = FATHOM_MISSED_UNKNOWN },
		{ SWITCH, 700, 0, RUNNABLE, 7, .cpu = 1 }, /* 170 unknown: it may have been here */
		{ EXIT, 710, 7, READ, .cpu = 1 }, /* 10 user: what it was in is not known */
		{ 0 },
	};
	static const uint64_t wanted[TIME_KINDS] = { 20, 30, 0, 0, 0, 560 };
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (feed(steps, &account, sums) == 0) {
		expect_times(sums, wanted);
		for (size_t i = 0; i < account.n_waits; i++)
			assert_int_equal(account.waits[i].total, 0);
	}
	time_account_done(&account);
}

/* Without system calls the tasks whose functions are there are meant. */
static void functions_are_enough(void **state)
{
	static const struct step steps[] = {
		{ HAPPENING_CALL, 100, 7, 0 },
		{ HAPPENING_RETURN, 150, 7, 0 }, /* 50 kernel */
		{ HAPPENING_CALL, 170, 7, 0 }, /* 20 user */
		{ SWITCH, 180, 7, SLEEPS, 8 }, /* 10 kernel */
		{ SWITCH, 200, 8, SLEEPS, 7 }, /* 20 waiting */
		{ 0 },
	};
	static const uint64_t wanted[TIME_KINDS] = { 20, 60, 20, 0, 0, 0 };
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (feed(steps, &account, sums) == 0)
		expect_times(sums, wanted);
	time_account_done(&account);
}

static int feed_usual(void *arg)
{
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];
	int r = feed(usual, &account, sums);

	time_account_done(&account);
	return r;
}

static void one_task_alone(void **state)
{
	/* 7 waits for 8, and both act; 8 would wait, too. */
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },
		{ SWITCH, 110, 7, SLEEPS, 8 },
		{ ENTRY, 120, 8, NANOSLEEP },
		{ HAPPENING_WAKING, 150, 8, 7 },
		{ SWITCH, 160, 8, SLEEPS, 7 },
		{ EXIT, 170, 7, READ },
		{ SWITCH, 200, 7, RUNNABLE, 8 },
		{ EXIT, 250, 8, NANOSLEEP },
		{ 0 },
	};
	struct time_account account = { .only = 7 };
	uint64_t sums[TIME_KINDS];

	if (feed(steps, &account, sums) == 0) {
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_USER] = 30,
							   [TIME_KERNEL] = 20,
							   [TIME_WAITING] = 40,
							   [TIME_RUNNABLE] = 10 });
		assert_int_equal(account.n_waits, 1);
		assert_int_equal(account.waits[0].longest_pid, 7);
	}
	time_account_done(&account);
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_usual, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_moment_counts_once),
		cmocka_unit_test(lost_events_make_no_times),
		cmocka_unit_test(functions_are_enough),
		cmocka_unit_test(one_task_alone),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
