/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/tasks/time-account.h"
#include "base/cleanup.h"
#include "base/mem.h"

enum {
	RUNNABLE = TASK_STATE_RUNNABLE,
	SLEEPS = TASK_STATE_SLEEPING,
	DISK = TASK_STATE_BLOCKED,
	ZOMBIE = TASK_STATE_DEAD,
	PREEMPTED = TASK_STATE_RUNNABLE,
	READ = 0,
	PAUSE = 34,
	EXECVE = 59,
	NANOSLEEP = 230,
};

/*
 * A step; the members after the pid are the state and the next pid, the number of a call, a depth,
 * the woken task, or the previous pid.
 */
struct step {
	enum decoded_kind kind;
	uint64_t time;
	int32_t pid;
	int64_t what;
	int32_t next;
	uint32_t cpu;
	uint64_t missed;
	const char *event; /* its name; NULL: irrelevant */
};

#define SWITCH DECODED_SWITCH
#define ENTRY  DECODED_SYSCALL_ENTRY
#define EXIT   DECODED_SYSCALL_EXIT
#define EXEC   DECODED_EXEC

static int feed(const struct step *steps, struct time_account *account, uint64_t sums[TIME_KINDS])
{
	for (; steps->time; steps++) {
		struct fathom_event event = { .time = steps->time,
					      .pid = steps->pid,
					      .cpu = steps->cpu,
					      .missed = steps->missed };
		struct event_format format = { .name = (char *)steps->event };
		struct event_entry entry = { .format = &format };
		struct decoded_event decoded = { .kind = steps->kind,
						 .event = &event,
						 .entry = steps->event ? &entry : NULL,
						 .early = steps->time < account->clip.from,
						 .late = account->clip.to &&
							 steps->time > account->clip.to };

		switch (steps->kind) {
		case SWITCH:
			decoded.sched.prev_pid = steps->pid;
			decoded.sched.next_pid = steps->next;
			decoded.sched.prev = (enum task_state)steps->what;
			break;
		case DECODED_WAKING:
		case DECODED_WAKEUP_NEW:
		case DECODED_FORK:
		case DECODED_TASK_EXIT:
			decoded.task.pid = (int32_t)steps->what;
			break;
		case EXEC:
			decoded.path.old_pid = (int32_t)steps->what;
			break;
		case DECODED_CALL:
		case DECODED_RETURN:
			decoded.call.depth = (int)steps->what;
			break;
		case EXIT:
			decoded.call_number.old_pid = steps->next;
			__attribute__((fallthrough));
		default:
			decoded.call_number.number = steps->what;
		}
		time_account_feed(account, &decoded);
	}
	return time_account_finish(account, sums);
}

static void expect_times(const uint64_t *sums, const uint64_t wanted[TIME_KINDS])
{
	static const char *const names[] = { "user",   "kernel",  "waiting",	"runnable",
					     "stolen", "unknown", "maybe user", "maybe kernel" };

	for (size_t i = 0; i < TIME_KINDS; i++)
		if (sums[i] != wanted[i])
			fail_msg("%s: %llu, not %llu", names[i], (unsigned long long)sums[i],
				 (unsigned long long)wanted[i]);
}

static const struct step usual[] = {
	{ ENTRY, 100, 7, READ },
	{ EXIT, 130, 7, READ }, /* 30 kernel */
	{ DECODED_IRQ_ENTRY, 150, 7, 3 }, /* 20 user */
	{ DECODED_IRQ_EXIT, 155, 7, 3 }, /* 5 stolen */
	{ ENTRY, 160, 7, NANOSLEEP }, /* 5 user */
	{ SWITCH, 170, 7, SLEEPS, 0 }, /* 10 kernel */
	{ DECODED_CALL, 171, 7, 4 }, /* the end of the switch */
	{ DECODED_RETURN, 172, 7, 4 },
	{ DECODED_WAKING, 270, 9, 7 }, /* 100 waiting */
	{ SWITCH, 280, 0, RUNNABLE, 7 }, /* 10 runnable */
	{ EXIT, 285, 7, NANOSLEEP }, /* 5 kernel: the function at depth 4 has ended, 4 are open */
	{ DECODED_RETURN, 286, 7, 0 }, /* 1 kernel */
	{ SWITCH, 300, 7, PREEMPTED, 8 }, /* 14 user */
	{ SWITCH, 350, 8, SLEEPS, 7, .cpu = 1 }, /* 50 runnable */
	{ DECODED_FAULT, 360, 7, .cpu = 1 }, /* 10 user */
	{ DECODED_CALL, 361, 7, 0, .cpu = 1 }, /* 1 kernel, which handles the fault */
	{ SWITCH, 365, 7, DISK, 0, .cpu = 1 }, /* 4 kernel */
	{ SWITCH, 395, 0, RUNNABLE, 7 }, /* 30 waiting */
	{ DECODED_RETURN, 400, 7, 0 }, /* 5 kernel */
	{ ENTRY, 410, 7, 60 }, /* 10 user */
	{ SWITCH, 415, 7, ZOMBIE, 0 }, /* 5 kernel */
	{ 0 },
};

static void each_instant_counts_once(void **state)
{
	static const uint64_t wanted[TIME_KINDS] = { 59, 61, 130, 60, 5 };
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
		assert_int_equal(account.waits[0].longest_waker, 9);
		assert_int_equal(account.waits[1].longest_waker, TIME_WAKER_UNKNOWN);
		assert_false(account.waits[0].disk);
		assert_int_equal(account.waits[1].syscall, -1);
		assert_true(account.waits[1].disk && account.waits[1].fault);
		assert_int_equal(account.n_wakers, 1);
		assert_int_equal(account.wakers[0].pid, 9);
		assert_int_equal(account.kept_off.start, 300);
		assert_int_equal(account.kept_off.total, 50);
		assert_int_equal(account.kept_off.pid, 7);
		/* All of its runnable time is charged to some task. */
		assert_int_equal(account.holders.n, 2);
		assert_int_equal(account.holders.list[0].pid, 8);
		assert_int_equal(account.holders.list[0].time, 50);
		assert_int_equal(account.holders.list[1].pid, 0);
		assert_int_equal(account.holders.list[1].time, 10);
		/* Others were only seen to run. */
		for (size_t i = 1; i < account.n_tasks; i++)
			assert_false(account.tasks[i].acted);
	} else {
		assert_true(mem_fault);
	}
	time_account_done(&account);
}

static void lost_events_leave_no_times(void **state)
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
		{ EXIT, 710, 7, READ, .cpu = 1 }, /* 10 kernel: so it was in the call */
		{ 0 },
	};
	static const uint64_t wanted[TIME_KINDS] = { 10, 40, 0, 0, 0, 560 };
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0)) {
		expect_times(sums, wanted);
		for (size_t i = 0; i < account.n_waits; i++)
			assert_int_equal(account.waits[i].total, 0);
	}
	time_account_done(&account);
}

/*
 * Without system calls, tasks that call kernel functions count; between calls, they may be in the
 * program or in functions that were not recorded.
 */
static void functions_suffice(void **state)
{
	static const struct step steps[] = {
		{ DECODED_CALL, 100, 7, 0 },
		{ DECODED_RETURN, 150, 7, 0 }, /* 50 kernel */
		{ DECODED_CALL, 170, 7, 0 }, /* 20 maybe user */
		{ SWITCH, 180, 7, SLEEPS, 8 }, /* 10 kernel */
		{ SWITCH, 200, 8, SLEEPS, 7 }, /* 20 waiting */
		{ 0 },
	};
	static const uint64_t wanted[TIME_KINDS] = {
		[TIME_MAYBE_USER] = 20, [TIME_KERNEL] = 60, [TIME_WAITING] = 20
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0))
		expect_times(sums, wanted);
	time_account_done(&account);
}

/* The recording begins during a system call: the task was in that call all the time. */
static void an_exit_reveals_the_state_before_it(void **state)
{
	static const struct step steps[] = {
		{ DECODED_IRQ_ENTRY, 100, 7, 3 },
		{ DECODED_IRQ_EXIT, 105, 7, 3 }, /* 5 stolen */
		{ SWITCH, 200, 7, DISK, 0 }, /* 95 kernel */
		{ SWITCH, 300, 0, RUNNABLE, 7 }, /* 100 waiting */
		{ EXIT, 350, 7, READ }, /* 50 kernel */
		{ ENTRY, 360, 7, READ }, /* 10 user */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0)) {
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_USER] = 10,
							   [TIME_KERNEL] = 145,
							   [TIME_WAITING] = 100,
							   [TIME_STOLEN] = 5 });
		assert_int_equal(account.n_waits, 1);
		assert_int_equal(account.waits[0].syscall, READ);
		assert_int_equal(account.waits[0].total, 100);
	}
	time_account_done(&account);
}

/* Because clocks differ slightly, it leaves a CPU after it has entered the next one. */
static void tolerates_clocks_that_differ(void **state)
{
	static const struct step steps[] = {
		{ EXIT, 100, 7, READ },
		{ ENTRY, 130, 7, READ }, /* 30 user */
		{ EXIT, 140, 7, READ }, /* 10 kernel */
		{ SWITCH, 200, 0, RUNNABLE, 7, .cpu = 1 }, /* 60 user: on CPU 0 */
		{ ENTRY, 250, 7, READ, .cpu = 1 }, /* 50 user */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0))
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_USER] = 140, [TIME_KERNEL] = 10 });
	time_account_done(&account);
}

static void an_entry_reveals_the_state_before_it(void **state)
{
	static const struct step steps[] = {
		{ DECODED_IRQ_ENTRY, 100, 7, 3 },
		{ DECODED_IRQ_EXIT, 105, 7, 3 }, /* 5 stolen */
		{ SWITCH, 200, 7, PREEMPTED, 0 }, /* 95 user */
		{ SWITCH, 300, 0, RUNNABLE, 7 }, /* 100 runnable */
		{ ENTRY, 350, 7, READ }, /* 50 user */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0))
		expect_times(sums,
			     (uint64_t[TIME_KINDS]){
				     [TIME_USER] = 145, [TIME_RUNNABLE] = 100, [TIME_STOLEN] = 5 });
	time_account_done(&account);
}

/* The same applies after a loss, and time without evidence stays unknown. */
static void time_without_evidence_is_unknown(void **state)
{
	static const struct step steps[] = {
		{ EXIT, 100, 7, READ },
		{ ENTRY, 110, 7, READ, .missed = 1 }, /* 10 unknown */
		{ EXIT, 120, 7, READ }, /* 10 kernel */
		{ DECODED_IRQ_ENTRY, 200, 7, 3, .missed = 1 }, /* 80 unknown */
		{ DECODED_IRQ_EXIT, 210, 7, 3 }, /* 10 stolen */
		{ EXIT, 300, 7, READ }, /* 90 kernel */
		{ DECODED_IRQ_ENTRY, 400, 7, 3, .missed = 1 }, /* 100 unknown */
		{ DECODED_IRQ_EXIT, 410, 7, 3 }, /* 10 stolen */
		{ SWITCH, 500, 7, SLEEPS, 0 }, /* 90 unknown */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0))
		expect_times(
			sums,
			(uint64_t[TIME_KINDS]){
				[TIME_KERNEL] = 100, [TIME_STOLEN] = 20, [TIME_UNKNOWN] = 280 });
	time_account_done(&account);
}

/*
 * After a loss, it is unknown where the task is; its wakeup and next run show that it was asleep.
 */
static void the_place_of_a_task_is_unknown_after_a_loss(void **state)
{
	static const struct step steps[] = {
		{ EXIT, 100, 7, READ },
		{ ENTRY, 200, 8, READ, .missed = 1 }, /* 100 unknown, of 7 */
		{ DECODED_WAKING, 250, 8, 7 }, /* 50 waiting */
		{ SWITCH, 260, 8, SLEEPS, 7 }, /* 10 runnable; 60 kernel of 8 */
		{ EXIT, 265, 7, READ }, /* 5 kernel */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0))
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_UNKNOWN] = 100,
							   [TIME_WAITING] = 50,
							   [TIME_RUNNABLE] = 10,
							   [TIME_KERNEL] = 65 });
	time_account_done(&account);
}

/* It was asleep before the recording began, wakes up in it, and sleeps when it ends. */
static void a_recorded_task_is_accounted_for_from_start_to_end(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 100, 8, SLEEPS, 0 },
		{ DECODED_WAKING, 250, 8, 7 }, /* 150 waiting */
		{ SWITCH, 260, 8, SLEEPS, 7 }, /* 10 runnable */
		{ EXIT, 265, 7, NANOSLEEP }, /* 5 kernel */
		{ ENTRY, 275, 7, READ }, /* 10 user */
		{ SWITCH, 280, 7, SLEEPS, 8 }, /* 5 kernel, though the exit is missing */
		{ SWITCH, 400, 8, SLEEPS, 0 }, /* 120 waiting */
		{ 0 },
	};
	/* No event shows what it does. */
	static const struct step silent[] = {
		{ DECODED_IRQ_ENTRY, 100, 7, 3 },
		{ DECODED_IRQ_EXIT, 105, 7, 3 }, /* 5 stolen */
		{ DECODED_IRQ_ENTRY, 200, 7, 3 }, /* 95 unknown */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(time_account_follow(&account, 7) == 0 && feed(steps, &account, sums) == 0)) {
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_WAITING] = 270,
							   [TIME_RUNNABLE] = 10,
							   [TIME_KERNEL] = 10,
							   [TIME_USER] = 10 });
		assert_int_equal(account.n_waits, 2);
		assert_int_equal(account.waits[0].syscall, NANOSLEEP);
		assert_int_equal(account.waits[0].total, 150);
		assert_int_equal(account.waits[1].syscall, READ);
		assert_int_equal(account.waits[1].total, 120);
	}
	time_account_done(&account);
	if (succeeds(time_account_follow(&account, 7) == 0 && feed(silent, &account, sums) == 0))
		expect_times(sums,
			     (uint64_t[TIME_KINDS]){ [TIME_STOLEN] = 5, [TIME_UNKNOWN] = 95 });
	time_account_done(&account);
}

/* If only entries or only exits of calls are recorded, the other end of each call is unknown. */
static void entries_or_exits_alone_are_insufficient(void **state)
{
	static const struct step entries[] = {
		{ SWITCH, 90, 0, RUNNABLE, 7 },
		{ ENTRY, 100, 7, READ }, /* 10 user */
		{ ENTRY, 150, 7, NANOSLEEP }, /* 50 unknown */
		{ SWITCH, 200, 7, SLEEPS, 0 }, /* 50 unknown */
		{ 0 },
	};
	static const struct step exits[] = {
		{ SWITCH, 90, 0, RUNNABLE, 7 },
		{ EXIT, 100, 7, READ }, /* 10 kernel */
		{ EXIT, 150, 7, NANOSLEEP }, /* 50 unknown */
		{ SWITCH, 200, 7, SLEEPS, 0 }, /* 50 unknown */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(entries, &account, sums) == 0))
		expect_times(sums,
			     (uint64_t[TIME_KINDS]){ [TIME_USER] = 10, [TIME_UNKNOWN] = 100 });
	time_account_done(&account);
	if (succeeds(feed(exits, &account, sums) == 0))
		expect_times(sums,
			     (uint64_t[TIME_KINDS]){ [TIME_KERNEL] = 10, [TIME_UNKNOWN] = 100 });
	time_account_done(&account);
}

/* Without sched_switch, sleep cannot be distinguished from work. */
static void without_switches_sleep_may_be_work(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, NANOSLEEP },
		{ EXIT, 300, 7, NANOSLEEP },
		{ ENTRY, 350, 7, READ },
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0)) {
		expect_times(sums, (uint64_t[TIME_KINDS]){
					   [TIME_MAYBE_USER] = 50, [TIME_MAYBE_KERNEL] = 200 });
		assert_true(time_account_doubts(&account) & TIME_DOUBT_SWITCHES);
		assert_false(time_account_doubts(&account) & TIME_DOUBT_SYSCALLS);
	}
	time_account_done(&account);
}

/* Without kernel functions, page faults cannot be distinguished from the program. */
static void without_functions_a_fault_may_be_the_program(void **state)
{
	static const struct step steps[] = {
		{ SWITCH, 90, 0, RUNNABLE, 7 },
		{ EXIT, 100, 7, READ }, /* 10 kernel */
		{ DECODED_FAULT, 120, 7, .event = "page_fault_user" }, /* 20 user */
		{ DECODED_FAULT, 150, 7, .event = "page_fault_user" }, /* 30 maybe user */
		{ ENTRY, 200, 7, READ }, /* 50 maybe user */
		{ DECODED_FAULT, 210, 7, .event = "page_fault_kernel" }, /* 10 kernel */
		{ EXIT, 220, 7, READ }, /* 10 kernel */
		{ ENTRY, 230, 7, READ }, /* 10 user */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0)) {
		expect_times(
			sums,
			(uint64_t[TIME_KINDS]){
				[TIME_USER] = 30, [TIME_MAYBE_USER] = 80, [TIME_KERNEL] = 30 });
		assert_int_equal(time_account_doubts(&account), TIME_DOUBT_FAULTS);
	}
	time_account_done(&account);
}

/* The pid of an ended task is reused. */
static void handles_reused_pids(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },
		{ EXIT, 110, 7, READ }, /* 10 kernel */
		{ ENTRY, 120, 7, 60 }, /* 10 user */
		{ SWITCH, 130, 7, ZOMBIE, 0 }, /* 10 kernel */
		{ DECODED_FORK, 1000, 1, 7 },
		{ DECODED_WAKEUP_NEW, 1001, 1, 7 },
		{ SWITCH, 1010, 0, RUNNABLE, 7 },
		{ EXIT, 1020, 7, 56 }, /* 10 kernel */
		{ ENTRY, 1030, 7, 60 }, /* 10 user */
		{ DECODED_TASK_EXIT, 1035, 7, 7 }, /* 5 kernel; its final switch is missing */
		{ DECODED_FORK, 2000, 1, 7 },
		{ SWITCH, 2010, 0, RUNNABLE, 7 },
		{ ENTRY, 2030, 7, READ }, /* 20 user */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];
	size_t acted = 0;

	if (succeeds(feed(steps, &account, sums) == 0)) {
		for (size_t i = 0; i < account.n_tasks; i++) {
			acted += account.tasks[i].acted;
			assert_true(account.tasks[i].pid == 7 || !account.tasks[i].acted);
		}
		assert_int_equal(acted, 3);
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_USER] = 40, [TIME_KERNEL] = 35 });
	}
	time_account_done(&account);
}

/* 8, a thread of 7, executes a program and then has the pid 7. 7 runs on CPU 1. */
static const struct step threads_begin[] = {
	{ SWITCH, 90, 0, RUNNABLE, 7, .cpu = 1 },
	{ ENTRY, 100, 7, PAUSE, .cpu = 1 }, /* 7: 10 user */
	{ SWITCH, 105, 0, RUNNABLE, 8 },
	{ ENTRY, 110, 8, EXECVE }, /* 8: 5 user */
	{ SWITCH, 115, 7, SLEEPS, 0, .cpu = 1 }, /* 15 kernel */
	{ SWITCH, 120, 8, DISK, 0 }, /* 10 kernel */
	{ DECODED_WAKING, 121, 0, 7, .cpu = 1 }, /* 6 waiting */
	{ SWITCH, 130, 0, RUNNABLE, 7, .cpu = 1 }, /* 9 runnable */
	{ EXIT, 132, 7, PAUSE, .cpu = 1 }, /* 2 kernel */
	{ DECODED_TASK_EXIT, 135, 7, 7, .cpu = 1 }, /* 3 user: no event shows that it is killed */
	{ 0 },
};
static const struct step threads_end[] = {
	{ EXIT, 160, 7, EXECVE },
	{ ENTRY, 170, 7, READ }, /* 10 user */
	{ SWITCH, 175, 7, ZOMBIE, 0 }, /* 5 kernel */
	{ 0 },
};
/* The first thread has ended. */
static const struct step gone[] = {
	{ DECODED_WAKING, 138, 7, 8, .cpu = 1 }, /* 18 waiting */
	{ SWITCH, 140, 7, ZOMBIE, 0, .cpu = 1 }, /* 5 user */
	{ SWITCH, 145, 0, RUNNABLE, 8 }, /* 7 runnable */
	{ EXEC, 150, 7, 8 }, /* 15 kernel, to the end of the call */
	{ 0 },
};

/* In the steps @between, the thread gets its new pid. */
static int feed_threads(const struct step *between, struct time_account *account,
			uint64_t sums[TIME_KINDS])
{
	const struct step *const parts[] = { threads_begin, between, threads_end };
	struct step steps[32] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (const struct step *step = parts[i]; step->time; step++)
			steps[n++] = *step;
	return feed(steps, account, sums);
}

static void check_threads(const struct step *between, int32_t only, uint64_t first,
			  const uint64_t wanted[TIME_KINDS])
{
	struct time_account account = { .only = only };
	uint64_t sums[TIME_KINDS];
	size_t acted = 0;
	bool clipped = true;

	assert_int_equal(feed_threads(between, &account, sums), 0);
	expect_times(sums, wanted);
	for (size_t i = 0; i < account.n_tasks; i++) {
		if (!account.tasks[i].acted)
			continue;
		assert_int_equal(account.tasks[i].pid, 7);
		assert_int_equal(account.tasks[i].first, acted ? first : 90);
		assert_int_equal(account.tasks[i].last, acted ? 175 : 140);
		assert_int_equal(time_account_end(&account, &account.tasks[i], &clipped),
				 acted || !only ? 175 : 140);
		assert_false(clipped);
		acted++;
	}
	assert_int_equal(acted, 2);
	time_account_done(&account);
}

static void a_thread_that_calls_exec_stays_one_task(void **state)
{
	/* The thread leaves its CPU with its new pid before the event. */
	static const struct step away[] = {
		{ DECODED_WAKING, 138, 7, 8, .cpu = 1 }, /* 18 waiting */
		{ SWITCH, 140, 7, ZOMBIE, 0, .cpu = 1 }, /* 5 user */
		{ SWITCH, 143, 0, RUNNABLE, 8 }, /* 5 runnable */
		{ SWITCH, 145, 7, DISK, 0 }, /* 2 kernel */
		{ DECODED_WAKING, 147, 0, 7 }, /* 2 waiting */
		{ SWITCH, 149, 0, RUNNABLE, 7 }, /* 2 runnable */
		{ EXEC, 150, 7, 8 }, /* 11 kernel */
		{ 0 },
	};
	/* The first thread leaves after the thread has its pid: before the event, ... */
	static const struct step late[] = {
		{ DECODED_WAKING, 136, 7, 8, .cpu = 1 }, /* 16 waiting */
		{ SWITCH, 138, 0, RUNNABLE, 8 }, /* 2 runnable */
		{ SWITCH, 140, 8, ZOMBIE, 0, .cpu = 1 }, /* 5 user */
		{ EXEC, 150, 7, 8 }, /* 22 kernel */
		{ 0 },
	};
	/* ... after it, which is in two buffers, ... */
	static const struct step later[] = {
		{ DECODED_WAKING, 136, 7, 8, .cpu = 1 },
		{ SWITCH, 138, 0, RUNNABLE, 8 },
		{ EXEC, 139, 7, 8 },
		{ EXEC, 139, 7, 8 },
		{ SWITCH, 140, 8, ZOMBIE, 0, .cpu = 1 },
		{ 0 },
	};
	/* ... and before the thread leaves. */
	static const struct step both[] = {
		{ DECODED_WAKING, 136, 7, 8, .cpu = 1 }, /* 16 waiting */
		{ SWITCH, 138, 0, RUNNABLE, 8 }, /* 2 runnable */
		{ SWITCH, 140, 8, ZOMBIE, 0, .cpu = 1 }, /* 5 user */
		{ SWITCH, 145, 7, DISK, 0 }, /* 7 kernel */
		{ DECODED_WAKING, 147, 0, 7 }, /* 2 waiting */
		{ SWITCH, 149, 0, RUNNABLE, 7 }, /* 2 runnable */
		{ EXEC, 150, 7, 8 }, /* 11 kernel */
		{ 0 },
	};
	/* A function shows that the thread has its new pid. */
	static const struct step calls[] = {
		{ DECODED_WAKING, 136, 7, 8, .cpu = 1 },
		{ SWITCH, 138, 0, RUNNABLE, 8 },
		{ DECODED_CALL, 139, 7, 3 },
		{ SWITCH, 140, 8, ZOMBIE, 0, .cpu = 1 },
		{ DECODED_RETURN, 145, 7, 0 },
		{ EXEC, 150, 7, 8 },
		{ 0 },
	};
	/* The same after the end of the first thread; the thread leaves before the event. */
	static const struct step calls_away[] = {
		{ DECODED_WAKING, 138, 7, 8, .cpu = 1 }, /* 18 waiting */
		{ SWITCH, 140, 7, ZOMBIE, 0, .cpu = 1 }, /* 5 user */
		{ SWITCH, 143, 0, RUNNABLE, 8 }, /* 5 runnable */
		{ DECODED_CALL, 144, 7, 3 },
		{ DECODED_RETURN, 144, 7, 0 },
		{ SWITCH, 145, 7, DISK, 0 }, /* 2 kernel */
		{ DECODED_WAKING, 147, 0, 7 }, /* 2 waiting */
		{ SWITCH, 149, 0, RUNNABLE, 7 }, /* 2 runnable */
		{ EXEC, 150, 7, 8 }, /* 11 kernel */
		{ 0 },
	};
	/* A function that belongs to the switch does not. */
	static const struct step switching[] = {
		{ DECODED_WAKING, 136, 7, 8, .cpu = 1 }, /* 16 waiting */
		{ SWITCH, 140, 7, ZOMBIE, 8, .cpu = 1 }, /* 4 runnable */
		{ DECODED_CALL, 141, 7, 3, .cpu = 1 },
		{ SWITCH, 143, 8, DISK, 0, .cpu = 1 }, /* 3 kernel */
		{ SWITCH, 145, 0, RUNNABLE, 8 }, /* 2 waiting */
		{ EXEC, 150, 7, 8 }, /* 15 kernel */
		{ 0 },
	};

	check_threads(gone, 0, 105, (uint64_t[TIME_KINDS]){ 33, 47, 24, 16 });
	check_threads(away, 0, 105, (uint64_t[TIME_KINDS]){ 33, 45, 26, 16 });
	check_threads(late, 0, 105, (uint64_t[TIME_KINDS]){ 33, 54, 22, 11 });
	check_threads(later, 0, 105, (uint64_t[TIME_KINDS]){ 33, 54, 22, 11 });
	check_threads(both, 0, 105, (uint64_t[TIME_KINDS]){ 33, 50, 24, 13 });
	check_threads(calls, 0, 105, (uint64_t[TIME_KINDS]){ 33, 54, 22, 11 });
	check_threads(calls_away, 0, 105, (uint64_t[TIME_KINDS]){ 33, 45, 26, 16 });
	check_threads(switching, 0, 105, (uint64_t[TIME_KINDS]){ 33, 50, 24, 13 });
	/* With @only, its activity under another pid does not count. */
	check_threads(gone, 7, 150, (uint64_t[TIME_KINDS]){ 28, 32, 6, 9 });
}

static void the_first_thread_exits_under_another_pid(void **state)
{
	/*
	 * An interrupt reveals that the first thread has the pid of the other, which runs
	 * elsewhere.
	 */
	static const struct step interrupted[] = {
		{ DECODED_TASK_EXIT, 135, 7, 7, .cpu = 1 },
		{ DECODED_WAKING, 136, 7, 8, .cpu = 1 }, /* 16 waiting */
		{ SWITCH, 137, 0, RUNNABLE, 8 }, /* 1 runnable */
		{ DECODED_IRQ_ENTRY, 138, 8, 3, .cpu = 1 }, /* 3 user */
		{ DECODED_IRQ_EXIT, 139, 8, 3, .cpu = 1 }, /* 1 stolen */
		{ SWITCH, 140, 8, ZOMBIE, 0, .cpu = 1 }, /* 1 user */
		{ EXEC, 150, 7, 8 }, /* 23 kernel */
		{ 0 },
	};
	/* The thread leaves under the pid of the first one, which has yet to end elsewhere. */
	static const struct step preempted[] = {
		{ DECODED_TASK_EXIT, 136, 7, 7, .cpu = 1 },
		{ DECODED_WAKING, 136, 7, 8, .cpu = 1 }, /* 16 waiting */
		{ SWITCH, 138, 0, RUNNABLE, 8 }, /* 2 runnable */
		{ SWITCH, 139, 7, RUNNABLE, 9 }, /* 1 kernel */
		{ SWITCH, 140, 8, ZOMBIE, 0, .cpu = 1 }, /* 5 user */
		{ SWITCH, 145, 9, RUNNABLE, 7 }, /* 6 runnable */
		{ EXEC, 150, 7, 8 }, /* 15 kernel */
		{ 0 },
	};

	check_threads(interrupted, 0, 105, (uint64_t[TIME_KINDS]){ 32, 55, 22, 10, 1 });
	check_threads(preempted, 0, 105, (uint64_t[TIME_KINDS]){ 33, 48, 22, 17 });
}

/* The window ends after the first thread. */
static void exec_by_a_thread_is_clipped(void **state)
{
	struct time_account account = { .clip = { 90, 155 } };
	uint64_t sums[TIME_KINDS];
	bool clipped = false;

	if (succeeds(feed_threads(gone, &account, sums) == 0)) {
		assert_false(account.tasks[0].clipped);
		assert_int_equal(time_account_end(&account, &account.tasks[0], &clipped), 155);
		assert_true(clipped);
	}
	time_account_done(&account);
}

/* No event shows when the first thread ends; the event is in two buffers. */
static void handles_exec_by_a_thread_without_switches(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, PAUSE },
		{ ENTRY, 110, 8, EXECVE },
		{ EXEC, 150, 7, 8 },
		{ EXEC, 150, 7, 8 },
		{ EXIT, 160, 7, EXECVE }, /* 50 maybe kernel */
		{ ENTRY, 170, 7, READ }, /* 10 maybe user */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0)) {
		expect_times(sums, (uint64_t[TIME_KINDS]){
					   [TIME_MAYBE_KERNEL] = 50, [TIME_MAYBE_USER] = 10 });
		assert_int_equal(account.n_tasks, 2);
	}
	time_account_done(&account);
}

/* Only the exit of the call shows it. */
static void handles_exec_by_a_thread_with_system_calls_only(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, PAUSE },
		{ ENTRY, 110, 8, EXECVE },
		{ EXIT, 140, 7, PAUSE }, /* 40 maybe kernel */
		{ EXIT, 160, 7, EXECVE, 8 }, /* 50 maybe kernel */
		{ ENTRY, 170, 7, READ }, /* 10 maybe user */
		{ 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0)) {
		expect_times(sums, (uint64_t[TIME_KINDS]){
					   [TIME_MAYBE_KERNEL] = 90, [TIME_MAYBE_USER] = 10 });
		assert_int_equal(account.n_tasks, 2);
	}
	time_account_done(&account);
}

/* Random activity of a few tasks on two CPUs; pids are reused, and events are lost. */
static void random_steps(struct step *steps, size_t n, uint64_t *seed)
{
	static const enum decoded_kind kinds[] = {
		SWITCH,
		SWITCH,
		ENTRY,
		EXIT,
		ENTRY,
		EXIT,
		DECODED_WAKING,
		DECODED_WAKEUP_NEW,
		DECODED_FORK,
		DECODED_TASK_EXIT,
		DECODED_CALL,
		DECODED_RETURN,
		DECODED_IRQ_ENTRY,
		DECODED_IRQ_EXIT,
		DECODED_FAULT,
		EXEC,
	};
	static const int states[] = { RUNNABLE, SLEEPS, DISK, ZOMBIE };
	uint64_t time = 100;

	for (size_t i = 0; i < n; i++) {
		uint64_t random = *seed = *seed * 6364136223846793005U + 1442695040888963407U;

		random >>= 16;
		time += random >> 5 & 15;
		/* The clocks of CPUs differ. */
		if ((random >> 24 & 63) == 0 && time > 150)
			time -= 40;
		steps[i] = (struct step){ .kind = kinds[random & 15],
					  .time = time,
					  .pid = (int32_t)(random >> 9 & 3),
					  .next = (int32_t)(random >> 11 & 3),
					  .cpu = random >> 13 & 1,
					  .missed = (random >> 14 & 31) == 0 };
		if (steps[i].kind == SWITCH)
			steps[i].what = states[random >> 19 & 3];
		else
			steps[i].what = (int64_t)(random >> 21 & 3);
	}
	steps[n] = (struct step){ 0 };
}

static void sums_equal_task_lifetimes(void **state)
{
	struct step steps[400];
	uint64_t seed = 1;

	for (int round = 0; round < 40; round++) {
		struct time_account account = { 0 };
		uint64_t sums[TIME_KINDS];

		random_steps(steps, 200 + (size_t)round % 200, &seed);
		if (feed(steps, &account, sums) < 0)
			assert_true(mem_fault);
		for (size_t i = 0; i < account.n_tasks && !account.nomem; i++) {
			const struct time_task *task = &account.tasks[i];
			uint64_t all = 0;

			for (size_t k = 0; k < TIME_KINDS; k++)
				all += task->sums[k];
			if (all != task->last - task->first)
				fail_msg("round %d, task %zu: %llu of %llu", round, i,
					 (unsigned long long)all,
					 (unsigned long long)(task->last - task->first));
		}
		time_account_done(&account);
	}
}

static int feed_usual(void *arg)
{
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];
	int r = feed(usual, &account, sums);

	time_account_done(&account);
	return r;
}

static int feed_gone(void *arg)
{
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];
	int r = feed_threads(gone, &account, sums);

	time_account_done(&account);
	return r;
}

static void a_cpu_holder_delays_one_task(void **state)
{
	/* The runnable task is gone, and another one has its pid; 9 does nothing. */
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },       { SWITCH, 110, 7, PREEMPTED, 8 },
		{ DECODED_FORK, 200, 8, 7 },   { SWITCH, 300, 8, SLEEPS, 7 },
		{ ENTRY, 310, 7, READ },       { DECODED_WAKING, 320, 7, 9 },
		{ SWITCH, 400, 7, SLEEPS, 9 }, { 0 },
	};
	struct time_account account = { 0 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0))
		assert_int_equal(account.holders.n, 0);
	time_account_done(&account);
}

static void can_be_limited_to_one_task(void **state)
{
	/* 7 waits for 8, and both act; 8 would also wait. */
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },
		{ SWITCH, 110, 7, SLEEPS, 8 },
		{ ENTRY, 120, 8, NANOSLEEP },
		{ DECODED_WAKING, 150, 8, 7 },
		{ SWITCH, 160, 8, SLEEPS, 7 },
		{ EXIT, 170, 7, READ },
		{ SWITCH, 200, 7, RUNNABLE, 8 },
		{ EXIT, 250, 8, NANOSLEEP },
		{ 0 },
	};
	struct time_account account = { .only = 7 };
	uint64_t sums[TIME_KINDS];

	if (succeeds(feed(steps, &account, sums) == 0)) {
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_USER] = 30,
							   [TIME_KERNEL] = 20,
							   [TIME_WAITING] = 40,
							   [TIME_RUNNABLE] = 10 });
		assert_int_equal(account.n_waits, 1);
		assert_int_equal(account.waits[0].longest_pid, 7);
	}
	time_account_done(&account);
}

/* Parts of the usual steps; 9 only wakes, and is in none of them. */
static void a_window_is_clipped(void **state)
{
	static const struct {
		struct clip clip;
		bool goes_on;
		uint64_t wanted[TIME_KINDS];
		uint64_t waits, count, wakers, holders;
		bool whole;
	} windows[] = {
		{ { 100, 415 }, false, { 59, 61, 130, 60, 5 }, 130, 2, 1, 60, true },
		{ { 180, 200 }, false, { [TIME_WAITING] = 20 }, 20, 1, 0, 0, false },
		{ { 110, 152 }, false, { 20, 20, 0, 0, 2 }, 0, 0, 0, 0, false },
		{ { 260, 275 }, false, { 0, 0, 10, 5 }, 10, 1, 1, 5, false },
		{ { 310, 380 }, false, { 10, 5, 15, 40 }, 15, 1, 0, 40, false },
		{ { 412, 500 }, false, { 0, 3 }, 0, 0, 0, 0, false },
		{ { 416, 500 }, false, { 0 }, 0, 0, 0, 0, true },
		{ { 412, 500 }, true, { 0, 3 }, 0, 0, 0, 0, false }, /* ended */
	};

	for (size_t i = 0; i < ARRAY_SIZE(windows); i++) {
		struct time_account account = { .clip = windows[i].clip,
						.goes_on = windows[i].goes_on };
		uint64_t sums[TIME_KINDS], waits = 0, count = 0, holders = 0;

		assert_int_equal(feed(usual, &account, sums), 0);
		expect_times(sums, windows[i].wanted);
		for (size_t j = 0; j < account.n_waits; j++) {
			waits += account.waits[j].total;
			count += account.waits[j].count;
		}
		for (size_t j = 0; j < account.holders.n; j++)
			holders += account.holders.list[j].time;
		assert_int_equal(waits, windows[i].waits);
		assert_int_equal(count, windows[i].count);
		assert_int_equal(account.n_wakers, windows[i].wakers);
		assert_int_equal(holders, windows[i].holders);
		for (size_t j = 0; j < account.n_tasks; j++)
			if (account.tasks[j].acted)
				assert_int_equal(account.tasks[j].clipped, !windows[i].whole);
		time_account_done(&account);
	}
}

/* The trace continues after the window: a sleeping task stays asleep. */
static void open_states_last_until_the_window_ends(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ },
		{ SWITCH, 110, 7, SLEEPS, 8 },
		{ ENTRY, 120, 8, READ, .missed = 0 },
		{ 0 },
	};
	uint64_t sums[TIME_KINDS];

	for (int goes_on = 0; goes_on < 2; goes_on++) {
		struct time_account account = { .clip = { 150, 200 }, .goes_on = goes_on };

		assert_int_equal(feed(steps, &account, sums), 0);
		/* 8 is in a call whose exit is not recorded. */
		expect_times(sums, (uint64_t[TIME_KINDS]){ [TIME_WAITING] = goes_on ? 50 : 0,
							   [TIME_UNKNOWN] = goes_on ? 50 : 0 });
		assert_int_equal(account.n_tasks, goes_on ? 2 : 0);
		time_account_done(&account);
	}
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_usual, NULL);
	oom_check(feed_gone, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instant_counts_once),
		cmocka_unit_test(lost_events_leave_no_times),
		cmocka_unit_test(functions_suffice),
		cmocka_unit_test(a_cpu_holder_delays_one_task),
		cmocka_unit_test(can_be_limited_to_one_task),
		cmocka_unit_test(an_exit_reveals_the_state_before_it),
		cmocka_unit_test(tolerates_clocks_that_differ),
		cmocka_unit_test(an_entry_reveals_the_state_before_it),
		cmocka_unit_test(time_without_evidence_is_unknown),
		cmocka_unit_test(the_place_of_a_task_is_unknown_after_a_loss),
		cmocka_unit_test(a_recorded_task_is_accounted_for_from_start_to_end),
		cmocka_unit_test(entries_or_exits_alone_are_insufficient),
		cmocka_unit_test(without_switches_sleep_may_be_work),
		cmocka_unit_test(without_functions_a_fault_may_be_the_program),
		cmocka_unit_test(handles_reused_pids),
		cmocka_unit_test(a_thread_that_calls_exec_stays_one_task),
		cmocka_unit_test(the_first_thread_exits_under_another_pid),
		cmocka_unit_test(exec_by_a_thread_is_clipped),
		cmocka_unit_test(handles_exec_by_a_thread_without_switches),
		cmocka_unit_test(handles_exec_by_a_thread_with_system_calls_only),
		cmocka_unit_test(sums_equal_task_lifetimes),
		cmocka_unit_test(a_window_is_clipped),
		cmocka_unit_test(open_states_last_until_the_window_ends),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
