/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/syscalls/syscalls.h"
#include "base/cleanup.h"
#include "base/mem.h"

enum {
	SIGRETURN = 15,
	CLONE = 56,
	EXECVE = 59,
	EXIT_GROUP = 231,
	OPENAT = 257,
	READ = 0
};

struct step {
	enum decoded_kind kind;
	uint64_t time;
	int32_t pid;
	int64_t number, result;
	const char *event;
	uint64_t missed;
	int32_t old_pid;
};

#define ENTRY DECODED_SYSCALL_ENTRY
#define EXIT  DECODED_SYSCALL_EXIT

static int feed(const struct step *steps, struct syscalls *syscalls)
{
	for (; steps->time; steps++) {
		struct fathom_event event = { .time = steps->time,
					      .pid = steps->pid,
					      .id = steps->event ? 2 : 1,
					      .missed = steps->missed };
		struct event_format format = { .name = steps->event ?: "sys_enter" };
		struct event_entry entry = { .format = &format };
		struct decoded_event decoded = { .kind = steps->kind,
						 .event = &event,
						 .entry = &entry };

		if (steps->kind == DECODED_SWITCH) {
			decoded.sched.prev_pid = steps->pid;
			decoded.sched.next_pid = (int32_t)steps->number;
			decoded.sched.prev = steps->result ? (enum task_state)steps->result :
							     TASK_STATE_SLEEPING;
		} else if (steps->kind == DECODED_TASK_EXIT) {
			decoded.task.pid = steps->pid;
		} else if (steps->kind == DECODED_WAKING || steps->kind == DECODED_FORK) {
			decoded.task.pid = (int32_t)steps->number;
		} else if (steps->kind == DECODED_SIGNAL) {
			decoded.signal.number = (int32_t)steps->number;
			decoded.signal.has_action = true;
			decoded.signal.handler = steps->number == 9 ? 0 : 0x5555;
			decoded.signal.flags = (uint64_t)steps->result;
		} else if (steps->kind == DECODED_EXEC) {
			decoded.path.old_pid = (int32_t)steps->number;
		} else {
			decoded.call_number.number = steps->number;
			decoded.call_number.result = steps->result;
			decoded.call_number.old_pid = steps->old_pid;
		}
		syscalls_feed(syscalls, &decoded);
	}
	return syscalls_finish(syscalls);
}

static const struct syscall_sums *find(const struct syscalls *syscalls, int64_t number)
{
	for (size_t i = 0; i < syscalls->n; i++)
		if (syscalls->list[i].number == number)
			return &syscalls->list[i];
	fail_msg("system call %d is missing", (int)number);
	return NULL;
}

/* Both kinds of events for each call; the task sleeps in the second call. */
static const struct step usual[] = {
	{ ENTRY, 100, 7, OPENAT },
	{ ENTRY, 101, 7, OPENAT, .event = "sys_enter_openat" },
	{ EXIT, 140, 7, OPENAT, -2, .event = "sys_exit_openat" },
	{ EXIT, 141, 7, OPENAT, -2 },
	{ ENTRY, 200, 7, READ, .event = "sys_enter_read" },
	{ DECODED_SWITCH, 220, 7, 8 },
	{ ENTRY, 230, 8, READ, .event = "sys_enter_read" },
	{ EXIT, 235, 8, READ, 5, .event = "sys_exit_read" },
	{ DECODED_SWITCH, 250, 8, 7 },
	{ EXIT, 300, 7, READ, 100, .event = "sys_exit_read" },
	{ ENTRY, 310, 7, OPENAT, .event = "sys_enter_openat" },
	{ EXIT, 320, 7, OPENAT, -13, .event = "sys_exit_openat" },
	{ ENTRY, 330, 7, OPENAT, .event = "sys_enter_openat" },
	{ 0 },
};

static void counts_each_call_once(void **state)
{
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(usual, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, OPENAT);

		assert_string_equal(sums->name, "openat");
		assert_int_equal(sums->count, 2);
		/*
		 * The exit after the first, with no open call, is ignored; the last call has no
		 * exit.
		 */
		assert_int_equal(sums->cut, 1);
		assert_int_equal(sums->failed, 2);
		assert_int_equal(sums->errors.n, 2);
		assert_int_equal(sums->errors.list[0].code, 2);
		assert_int_equal(sums->errors.list[1].code, 13);
		assert_int_equal(sums->total, 40 + 10);
		assert_int_equal(sums->min, 10);
		assert_int_equal(sums->max, 40);
		assert_int_equal(sums->slowest_time, 100);
		sums = find(&syscalls, READ);
		assert_int_equal(sums->count, 2);
		assert_int_equal(sums->failed, 0);
		assert_int_equal(sums->total, 105);
		assert_int_equal(sums->asleep, 30);
	}
	syscalls_done(&syscalls);
}

/* Programs never see the kernel's error code for an interrupted call. */
static void counts_results_as_seen_by_programs(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 140, 7, READ, -512, .event = "sys_exit_read" },
		{ DECODED_SIGNAL, 141, 7, 14 },
		{ ENTRY, 150, 7, SIGRETURN, .event = "sys_enter_rt_sigreturn" },
		{ ENTRY, 200, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 240, 7, READ, -512, .event = "sys_exit_read" },
		{ DECODED_SIGNAL, 241, 7, 14, 0x10000000 },
		{ ENTRY, 250, 7, SIGRETURN, .event = "sys_enter_rt_sigreturn" },
		{ EXIT, 251, 7, -1, 0 },
		{ ENTRY, 260, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 270, 7, READ, -514, .event = "sys_exit_read" },
		{ DECODED_SIGNAL, 271, 7, 9 },
		{ DECODED_TASK_EXIT, 272, 7 },
		{ ENTRY, 300, 8, READ, .event = "sys_enter_read" },
		{ EXIT, 340, 8, READ, -512, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };
	const struct syscall_sums *sums;

	assert_int_equal(feed(steps, &syscalls), 0);
	sums = find(&syscalls, READ);
	assert_int_equal(sums->count, 4);
	assert_int_equal(sums->failed, 1);
	assert_int_equal(sums->errors.n, 1);
	assert_int_equal(sums->errors.list[0].code, 4);
	assert_int_equal(sums->restarted, 1);
	assert_int_equal(sums->interrupted, 1);
	sums = find(&syscalls, SIGRETURN);
	assert_int_equal(sums->no_exit, 2);
	assert_int_equal(sums->cut, 0);
	assert_int_equal(sums->count, 0);
	syscalls_done(&syscalls);
}

/* The thread takes over the pid of the first thread, which has ended. */
static void follows_exec_by_a_second_thread(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 8, EXECVE, .event = "sys_enter_execve" },
		{ DECODED_TASK_EXIT, 110, 7 },
		{ DECODED_EXEC, 120, 7, 8 },
		{ EXIT, 130, 7, EXECVE, 0, .event = "sys_exit_execve" },
		{ ENTRY, 140, 8, EXECVE, .event = "sys_enter_execve" },
		{ DECODED_EXEC, 150, 8, 8 },
		{ EXIT, 160, 8, EXECVE, 0, .event = "sys_exit_execve" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	assert_int_equal(feed(steps, &syscalls), 0);
	assert_int_equal(find(&syscalls, EXECVE)->count, 2);
	assert_int_equal(find(&syscalls, EXECVE)->cut, 0);
	assert_int_equal(find(&syscalls, EXECVE)->total, 30 + 20);
	syscalls_done(&syscalls);
}

/* Only system calls are recorded, with one or two events each. */
static void detects_exec_by_its_exit(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 90, 7, READ, .event = "sys_enter_read" },
		{ ENTRY, 100, 8, EXECVE, .event = "sys_enter_execve" },
		{ EXIT, 110, 7, READ, -512, .event = "sys_exit_read" },
		{ EXIT, 130, 7, EXECVE, 0, .old_pid = 8 },
		{ EXIT, 131, 7, EXECVE, 0, .event = "sys_exit_execve" },
		{ ENTRY, 140, 8, READ, .event = "sys_enter_read" },
		{ EXIT, 145, 8, READ, 1, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, EXECVE);

		assert_int_equal(sums->count, 1);
		assert_int_equal(syscall_sums_calls(sums), 1);
		assert_int_equal(sums->total, 30);
		assert_int_equal(find(&syscalls, READ)->count, 2);
		assert_int_equal(find(&syscalls, READ)->interrupted, 0);
	}
	syscalls_done(&syscalls);
}

/* The exit belongs to another call with the same number. */
static void lost_events_leave_no_times(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 900, 7, READ, 1, .event = "sys_exit_read", .missed = 2 },
		{ ENTRY, 1000, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 1005, 7, READ, 1, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		assert_int_equal(find(&syscalls, READ)->count, 1);
		assert_int_equal(find(&syscalls, READ)->cut, 1);
		assert_int_equal(find(&syscalls, READ)->total, 5);
	}
	syscalls_done(&syscalls);
}

/* The time until the final switch is known, or that until the exit event of the task. */
static void tasks_can_end_in_calls(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, EXIT_GROUP, .event = "sys_enter_exit_group" },
		{ DECODED_TASK_EXIT, 130, 7 },
		{ DECODED_SWITCH, 150, 7, 0, TASK_STATE_DEAD },
		{ ENTRY, 200, 8, EXIT_GROUP, .event = "sys_enter_exit_group" },
		{ DECODED_TASK_EXIT, 220, 8 },
		/* Lost events may include its exit. */
		{ ENTRY, 300, 9, EXIT_GROUP, .event = "sys_enter_exit_group" },
		{ DECODED_TASK_EXIT, 310, 9, .missed = 1 },
		/* It never returns, and no event shows when the task ended. */
		{ ENTRY, 400, 10, EXIT_GROUP, .event = "sys_enter_exit_group" },
		{ ENTRY, 500, 11, READ, .event = "sys_enter_read" },
		{ DECODED_TASK_EXIT, 510, 11, .missed = 1 },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, EXIT_GROUP);

		assert_int_equal(sums->count, 0);
		assert_int_equal(sums->total, 0);
		assert_int_equal(sums->ended_in, 4);
		assert_int_equal(sums->ended_total, 50 + 20);
		assert_int_equal(sums->cut, 0);
		assert_int_equal(syscall_sums_calls(sums), 4);
		assert_int_equal(find(&syscalls, READ)->cut, 1);
	}
	syscalls_done(&syscalls);
}

/* A call that does not return, such as rt_sigreturn, and the next one with the same number. */
static void the_same_event_twice_is_two_calls(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ, .event = "sys_enter_read" },
		{ ENTRY, 200, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 210, 7, READ, 1, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		assert_int_equal(find(&syscalls, READ)->cut, 1);
		assert_int_equal(find(&syscalls, READ)->total, 10);
	}
	syscalls_done(&syscalls);
}

/* A task that was preempted or woken waits for a CPU. */
static void runnable_is_not_asleep(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ, .event = "sys_enter_read" },
		{ DECODED_SWITCH, 110, 7, 8, TASK_STATE_RUNNABLE },
		{ DECODED_SWITCH, 150, 8, 7, TASK_STATE_RUNNABLE },
		{ DECODED_SWITCH, 160, 7, 8, TASK_STATE_BLOCKED },
		{ DECODED_WAKING, 165, 8, 7 },
		{ DECODED_SWITCH, 185, 8, 7, TASK_STATE_SLEEPING },
		{ EXIT, 200, 7, READ, 1, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, READ);

		assert_int_equal(sums->total, 100);
		assert_int_equal(sums->asleep, 5);
		assert_int_equal(sums->runnable, 40 + 20);
		assert_int_equal(sums->own, 10 + 10 + 15);
		assert_true(sums->knows_sleep);
	}
	syscalls_done(&syscalls);
}

static void without_switches_sleep_is_unknown(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 200, 7, READ, 1, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0))
		assert_false(find(&syscalls, READ)->knows_sleep);
	syscalls_done(&syscalls);
}

/* The recording begins and ends during calls. */
static void incomplete_calls_count_as_calls(void **state)
{
	static const struct step steps[] = {
		{ DECODED_IRQ_ENTRY, 50, 7 },
		{ EXIT, 200, 7, READ, 100, .event = "sys_exit_read" },
		{ EXIT, 201, 7, READ, 100 },
		{ ENTRY, 210, 7, OPENAT, .event = "sys_enter_openat" },
		{ DECODED_SWITCH, 240, 7, 0, TASK_STATE_SLEEPING },
		{ DECODED_IRQ_ENTRY, 250, 0 },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, READ);

		assert_int_equal(syscall_sums_calls(sums), 1);
		assert_int_equal(sums->begun_before, 1);
		assert_int_equal(syscall_sums_seen(sums), 150);
		sums = find(&syscalls, OPENAT);
		assert_int_equal(syscall_sums_calls(sums), 1);
		assert_int_equal(sums->open_at_end, 1);
		assert_int_equal(syscall_sums_seen(sums), 40);
		assert_int_equal(sums->asleep, 10);
	}
	syscalls_done(&syscalls);
}

/* A new task returns from the call that created it, which its parent made. */
static void the_call_that_created_a_task_is_not_its_own(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, CLONE, .event = "sys_enter_clone" },
		{ DECODED_FORK, 110, 7, 8 },
		{ EXIT, 120, 7, CLONE, 8, .event = "sys_exit_clone" },
		{ EXIT, 130, 8, CLONE, 0, .event = "sys_exit_clone" },
		/* Its creation was not recorded. */
		{ EXIT, 140, 9, CLONE, 0, .event = "sys_exit_clone" },
		{ ENTRY, 150, 9, READ, .event = "sys_enter_read" },
		{ EXIT, 160, 9, READ, 0, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		assert_int_equal(syscall_sums_calls(find(&syscalls, CLONE)), 1);
		assert_int_equal(find(&syscalls, CLONE)->count, 1);
		assert_int_equal(find(&syscalls, READ)->count, 1);
	}
	syscalls_done(&syscalls);
}

/* Each of these tasks ends in its call, and its pid is reused. */
static void handles_reused_pids(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 100, 7, EXIT_GROUP, .event = "sys_enter_exit_group" },
		{ DECODED_SWITCH, 110, 7, 0, TASK_STATE_DEAD },
		{ DECODED_FORK, 1000, 1, 7 },
		{ DECODED_SWITCH, 1010, 0, 7, TASK_STATE_RUNNABLE },
		{ ENTRY, 1020, 7, EXIT_GROUP, .event = "sys_enter_exit_group" },
		{ DECODED_SWITCH, 1050, 7, 0, TASK_STATE_DEAD },
		/* Its creation was not recorded. */
		{ DECODED_SWITCH, 2010, 0, 7, TASK_STATE_RUNNABLE },
		{ ENTRY, 2020, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 2030, 7, READ, 0, .event = "sys_exit_read" },
		{ 0 },
	};
	struct syscalls syscalls = { 0 };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, EXIT_GROUP);

		assert_int_equal(sums->ended_in, 2);
		assert_int_equal(sums->ended_total, 10 + 30);
		assert_int_equal(sums->asleep, 0);
		assert_int_equal(find(&syscalls, READ)->count, 1);
	}
	syscalls_done(&syscalls);
}

/*
 * A task is in a call before, at and after a window; the position of the window decides what
 * counts.
 */
static void a_window_includes_parts_of_calls(void **state)
{
	static const struct step steps[] = {
		{ EXIT, 90, 8, READ, 5, .event = "sys_exit_read" }, /* began before */
		{ ENTRY, 100, 7, READ, .event = "sys_enter_read" },
		{ DECODED_SWITCH, 120, 7, 8 }, /* asleep until 180 */
		{ DECODED_WAKING, 180, 8, 7 }, /* runnable until 190 */
		{ DECODED_SWITCH, 190, 8, 7 },
		{ EXIT, 200, 7, READ, -5, .event = "sys_exit_read" },
		{ ENTRY, 210, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 220, 7, READ, -4, .event = "sys_exit_read" },
		{ ENTRY, 230, 7, READ, .event = "sys_enter_read" }, /* without an exit */
		{ DECODED_FAULT, 240, 7 },
		{ 0 },
	};
	static const struct {
		struct clip clip;
		bool goes_on;
		uint64_t count, before, end, throughout, failed, seen, asleep, runnable;
	} windows[] = {
		{ { 0, 0 }, false, 2, 1, 1, 0, 2, 100 + 10 + 10, 60, 10 },
		{ { 130, 150 }, false, 0, 0, 0, 1, 0, 20, 20, 0 },
		{ { 110, 185 }, false, 0, 0, 0, 1, 0, 75, 60, 5 },
		{ { 95, 150 }, false, 0, 0, 1, 0, 0, 50, 30, 0 },
		{ { 170, 205 }, false, 0, 1, 0, 0, 1, 30, 10, 10 },
		{ { 150, 222 }, false, 1, 1, 0, 0, 2, 50 + 10, 30, 10 },
		{ { 201, 209 }, false, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ { 205, 235 }, false, 1, 0, 1, 0, 1, 10 + 5, 0, 0 },
		{ { 235, 300 }, false, 0, 0, 0, 1, 0, 5, 0, 0 },
		{ { 235, 300 }, true, 0, 0, 0, 1, 0, 65, 0, 0 },
		{ { 250, 300 }, true, 0, 0, 0, 1, 0, 50, 0, 0 },
		{ { 250, 300 }, false, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ { 50, 95 }, false, 0, 1, 0, 0, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(windows); i++) {
		struct syscalls syscalls = { .clip = windows[i].clip,
					     .goes_on = windows[i].goes_on };
		struct syscall_sums none = { 0 };
		const struct syscall_sums *sums = &none;

		assert_int_equal(feed(steps, &syscalls), 0);
		assert_true(syscalls.n <= 1);
		if (syscalls.n)
			sums = &syscalls.list[0];
		assert_int_equal(sums->count, windows[i].count);
		assert_int_equal(sums->begun_before, windows[i].before);
		assert_int_equal(sums->open_at_end, windows[i].end);
		assert_int_equal(sums->throughout, windows[i].throughout);
		assert_int_equal(sums->cut,
				 windows[i].before + windows[i].end + windows[i].throughout);
		assert_int_equal(sums->failed, windows[i].failed);
		assert_int_equal(syscall_sums_seen(sums), windows[i].seen);
		assert_int_equal(sums->asleep, windows[i].asleep);
		assert_int_equal(sums->runnable, windows[i].runnable);
		syscalls_done(&syscalls);
	}
}

static int feed_usual(void *arg)
{
	struct syscalls syscalls = { 0 };
	int r = feed(usual, &syscalls);

	syscalls_done(&syscalls);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_usual, NULL);
}

static const struct step priced[] = {
	{ ENTRY, 1000, 7, READ, .event = "sys_enter_read" },
	{ EXIT, 3000, 7, READ, 5, .event = "sys_exit_read" },
	/* Between calls, nothing is subtracted. */
	{ DECODED_OTHER, 3100, 7 },
	{ ENTRY, 4000, 7, READ, .event = "sys_enter_read" },
	{ DECODED_OTHER, 4500, 7 },
	{ DECODED_SWITCH, 6000, 7, 8 },
	{ DECODED_OTHER, 6500, 8 }, /* of another task */
	{ DECODED_SWITCH, 90000, 8, 7 },
	{ EXIT, 92000, 7, READ, 5, .event = "sys_exit_read" },
	{ ENTRY, 95000, 7, OPENAT, .event = "sys_enter_openat" },
	{ EXIT, 95850, 7, OPENAT, 5, .event = "sys_exit_openat" },
	{ 0 },
};

static void subtracts_the_cost_of_tracing(void **state)
{
	struct syscalls syscalls = { .cost = { .known = true,
					       .prices = { .event_ns = 700, .syscall_ns = 800 } } };

	if (succeeds(feed(priced, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, READ);
		struct syscall_times times = syscall_sums_shown(sums);

		assert_true(sums->knows_untraced);
		assert_int_equal(sums->total, 2000 + 88000);
		assert_int_equal(times.seen, 1200 + (88000 - 800 - 2 * 700));
		assert_int_equal(times.min, 1200);
		assert_int_equal(times.max, 85800);
		assert_false(times.median_below || times.max_below);
		times = syscall_sums_measured(sums);
		assert_int_equal(times.seen, 90000);
		assert_int_equal(times.min, 2000);
		assert_int_equal(times.max, 88000);
		times = syscall_sums_shown(find(&syscalls, OPENAT));
		assert_int_equal(times.median, 80);
		assert_true(times.median_below && times.max_below);
	}
	syscalls_done(&syscalls);
}

static void can_show_measured_times(void **state)
{
	struct syscalls syscalls = { .raw = true,
				     .cost = { .known = true,
					       .prices = { .event_ns = 700, .syscall_ns = 800 } } };

	if (succeeds(feed(priced, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, READ);

		assert_int_equal(syscall_sums_shown(sums).seen, 90000);
		assert_true(sums->knows_untraced);
		assert_int_equal(syscall_sums_untraced(sums).min, 1200);
	}
	syscalls_done(&syscalls);
}

/* An event without a known cost may come after calls that were counted. */
static void subtracts_nothing_if_the_cost_is_unknown(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 1000, 7, READ, .event = "sys_enter_read" },
		{ EXIT, 3000, 7, READ, 5, .event = "sys_exit_read" },
		{ DECODED_PROBE, 3100, 7 },
		{ 0 },
	};
	struct syscalls syscalls = { .cost = { .known = true,
					       .prices = { .event_ns = 700, .syscall_ns = 800 } } };

	if (succeeds(feed(steps, &syscalls) == 0)) {
		const struct syscall_sums *sums = find(&syscalls, READ);

		assert_false(sums->knows_untraced);
		assert_int_equal(syscall_sums_shown(sums).seen, 2000);
	}
	syscalls_done(&syscalls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_each_call_once),
		cmocka_unit_test(lost_events_leave_no_times),
		cmocka_unit_test(counts_results_as_seen_by_programs),
		cmocka_unit_test(follows_exec_by_a_second_thread),
		cmocka_unit_test(detects_exec_by_its_exit),
		cmocka_unit_test(tasks_can_end_in_calls),
		cmocka_unit_test(the_same_event_twice_is_two_calls),
		cmocka_unit_test(runnable_is_not_asleep),
		cmocka_unit_test(without_switches_sleep_is_unknown),
		cmocka_unit_test(incomplete_calls_count_as_calls),
		cmocka_unit_test(the_call_that_created_a_task_is_not_its_own),
		cmocka_unit_test(handles_reused_pids),
		cmocka_unit_test(a_window_includes_parts_of_calls),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(subtracts_the_cost_of_tracing),
		cmocka_unit_test(can_show_measured_times),
		cmocka_unit_test(subtracts_nothing_if_the_cost_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
