/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/stream/exec-pids.h"
#include "base/mem.h"

#define ENTRY DECODED_SYSCALL_ENTRY
#define EXIT  DECODED_SYSCALL_EXIT
#define NEW   DECODED_NEW_TASK
#define EXEC  DECODED_EXEC

#define THREAD	0x3d0f00
#define PROCESS 0x1200011

enum {
	PAUSE = 34,
	CLONE = 56,
	FORK = 57,
	EXECVE = 59,
	CLONE3 = 435,
};

/*
 * A step: kind and pid; then the system call and its result or flags; a new task and its flags; or
 * the previous pid.
 */
struct step {
	enum decoded_kind kind;
	int32_t pid;
	int32_t what;
	int64_t value;
	bool is_raw;
	uint64_t missed;
	int32_t old_pid; /* expected */
};

static const char *name_of(const struct step *step)
{
	bool is_entry = step->kind == ENTRY;

	if (step->is_raw)
		return is_entry ? "sys_enter" : "sys_exit";
	switch (step->what) {
	case CLONE:
		return is_entry ? "sys_enter_clone" : "sys_exit_clone";
	case FORK:
		return is_entry ? "sys_enter_fork" : "sys_exit_fork";
	case EXECVE:
		return is_entry ? "sys_enter_execve" : "sys_exit_execve";
	case CLONE3:
		return is_entry ? "sys_enter_clone3" : "sys_exit_clone3";
	default:
		return is_entry ? "sys_enter_pause" : "sys_exit_pause";
	}
}

static void feed_step(struct exec_pids *execs, const struct step *step, int32_t *ret_old_pid)
{
	struct event_field flags = {
		.name = "clone_flags", .size = 8, .elem_size = 8, .kind = EVENT_FIELD_INT
	};
	struct event_format format = { .name = (char *)name_of(step),
				       .abi = { .long_size = 8 },
				       .fields = &flags,
				       .n_fields = step->what == CLONE && !step->is_raw };
	struct event_entry entry = { .format = &format };
	struct fathom_event event = { .pid = step->pid,
				      .data = &step->value,
				      .size = sizeof(step->value),
				      .missed = step->missed };
	struct decoded_event decoded = { .kind = step->kind, .event = &event, .entry = &entry };

	if (step->kind == NEW) {
		decoded.task.pid = step->what;
		decoded.task.flags = (uint64_t)step->value;
	} else if (step->kind == EXEC) {
		decoded.path.old_pid = step->what;
	} else {
		decoded.call_number.number = step->what;
		decoded.call_number.result = step->value;
	}
	exec_pids_feed(execs, &decoded);
	*ret_old_pid = step->kind == EXIT ? decoded.call_number.old_pid : 0;
}

static int feed(const struct step *steps)
{
	struct exec_pids execs = { 0 };
	int r;

	for (const struct step *step = steps; step->kind && !execs.nomem; step++) {
		int32_t old_pid;

		feed_step(&execs, step, &old_pid);
		if (!execs.nomem && old_pid != step->old_pid)
			fail_msg("step %d: %d, not %d", (int)(step - steps), old_pid,
				 step->old_pid);
	}
	r = execs.nomem ? -ENOMEM : 0;
	exec_pids_done(&execs);
	return r;
}

static void expect(const struct step *steps)
{
	if (feed(steps) < 0)
		assert_true(mem_fault);
}

/* 7 created the thread 8, which executes a program: the exit has the pid 7. */
static const struct step usual[] = {
	{ ENTRY, 7, EXECVE },
	{ EXIT, 7, EXECVE },
	{ ENTRY, 7, CLONE, THREAD },
	{ EXIT, 7, CLONE, 8 },
	{ ENTRY, 7, PAUSE },
	{ EXIT, 8, CLONE },
	{ ENTRY, 8, EXECVE },
	{ EXIT, 7, PAUSE, -514 },
	{ EXIT, 7, EXECVE, .old_pid = 8 },
	{ EXIT, 7, EXECVE },
	{ 0 },
};

static void finds_the_executing_thread(void **state)
{
	expect(usual);
}

/* A thread created by a thread, while other tasks are inside the same call. */
static void finds_a_thread_created_by_a_thread(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 7, CLONE, THREAD },
		{ EXIT, 7, CLONE, 8 },
		{ ENTRY, 8, CLONE, THREAD },
		{ ENTRY, 9, EXECVE },
		{ EXIT, 8, CLONE, 9 },
		{ ENTRY, 20, EXECVE },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 8, EXECVE, -513 },
		{ EXIT, 7, EXECVE, .old_pid = 9 },
		{ 0 },
	};

	expect(steps);
}

/* Two events per call. */
static void handles_calls_recorded_twice(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 7, CLONE, THREAD, true },
		{ ENTRY, 7, CLONE, THREAD },
		{ EXIT, 7, CLONE, 8, true },
		{ EXIT, 7, CLONE, 8 },
		{ ENTRY, 8, EXECVE, 0, true },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 7, EXECVE, 0, true, .old_pid = 8 },
		{ EXIT, 7, EXECVE },
		{ 0 },
	};

	expect(steps);
}

/* The flags of clone3() are unknown. */
static void accepts_the_only_possible_thread(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 7, CLONE3 },
		{ EXIT, 7, CLONE3, 8 },
		{ ENTRY, 7, CLONE, PROCESS },
		{ EXIT, 7, CLONE, 9 },
		{ ENTRY, 7, FORK },
		{ EXIT, 7, FORK, 10 },
		{ ENTRY, 9, EXECVE },
		{ ENTRY, 10, EXECVE },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 9, EXECVE },
		{ EXIT, 7, EXECVE, .old_pid = 8 },
		{ EXIT, 10, EXECVE },
		{ 0 },
	};

	expect(steps);
}

static void does_not_guess(void **state)
{
	/* Either of the two may be a thread. */
	static const struct step two[] = {
		{ ENTRY, 7, CLONE3 }, { EXIT, 7, CLONE3, 8 },
		{ ENTRY, 7, CLONE3 }, { EXIT, 7, CLONE3, 9 },
		{ ENTRY, 8, EXECVE }, { ENTRY, 9, EXECVE },
		{ EXIT, 7, EXECVE },  { 0 },
	};
	/* 20, which predates the trace, is also a candidate. */
	static const struct step stranger[] = {
		{ ENTRY, 7, CLONE3 }, { EXIT, 7, CLONE3, 8 }, { ENTRY, 20, EXECVE },
		{ ENTRY, 8, EXECVE }, { EXIT, 7, EXECVE },    { 0 },
	};
	/* Nothing is known about 8. */
	static const struct step alone[] = {
		{ ENTRY, 7, PAUSE },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 7, EXECVE },
		{ 0 },
	};
	/* The entry of 7 may be lost. */
	static const struct step lost[] = {
		{ ENTRY, 7, CLONE3 },
		{ EXIT, 7, CLONE3, 8 },
		{ ENTRY, 8, EXECVE, .missed = 3 },
		{ EXIT, 7, EXECVE },
		{ 0 },
	};
	/* The next events of 8 may also be lost. */
	static const struct step lost_later[] = {
		{ ENTRY, 7, CLONE, THREAD },
		{ EXIT, 7, CLONE, 8 },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 7, EXECVE, .missed = 3 },
		{ 0 },
	};

	expect(two);
	expect(stranger);
	expect(alone);
	expect(lost);
	expect(lost_later);
}

static void ignores_other_processes(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 7, CLONE, PROCESS },
		{ EXIT, 7, CLONE, 8 },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 7, EXECVE },
		/* It failed. */
		{ ENTRY, 7, CLONE, THREAD },
		{ EXIT, 7, CLONE, 9 },
		{ ENTRY, 9, EXECVE },
		{ EXIT, 7, EXECVE, -2 },
		/* It is inside another call now. */
		{ ENTRY, 9, PAUSE },
		{ EXIT, 7, EXECVE },
		{ 0 },
	};

	expect(steps);
}

/* A task that executed a program under its own pid is a process, no matter how it was created. */
static void learns_from_exec(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 7, CLONE3 },
		{ EXIT, 7, CLONE3, 8 },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 8, EXECVE },
		{ ENTRY, 8, CLONE3 },
		{ EXIT, 8, CLONE3, 9 },
		{ ENTRY, 9, EXECVE },
		{ EXIT, 8, EXECVE, .old_pid = 9 },
		{ 0 },
	};

	expect(steps);
}

/* task_newtask has the flags. */
static void uses_task_newtask(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 7, CLONE3 },
		{ NEW, 7, 8, THREAD },
		{ EXIT, 7, CLONE3, 8 },
		{ ENTRY, 7, CLONE3 },
		{ NEW, 7, 9, PROCESS },
		{ EXIT, 7, CLONE3, 9 },
		{ ENTRY, 9, EXECVE },
		{ ENTRY, 8, EXECVE },
		{ EXIT, 7, EXECVE, .old_pid = 8 },
		{ EXIT, 9, EXECVE },
		{ 0 },
	};

	expect(steps);
}

/*
 * sched_process_exec has the pid first; at the exit of the call, another task may have it.
 */
static void prefers_sched_process_exec(void **state)
{
	static const struct step steps[] = {
		{ ENTRY, 7, CLONE, THREAD },
		{ EXIT, 7, CLONE, 8 },
		{ ENTRY, 8, EXECVE },
		{ EXEC, 7, 8 },
		{ EXIT, 7, EXECVE },
		{ ENTRY, 8, EXECVE },
		{ EXEC, 8, 8 },
		{ EXIT, 8, EXECVE },
		{ 0 },
	};

	expect(steps);
}

static int feed_once(void *arg)
{
	return feed(arg);
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_once, (void *)usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_executing_thread),
		cmocka_unit_test(finds_a_thread_created_by_a_thread),
		cmocka_unit_test(handles_calls_recorded_twice),
		cmocka_unit_test(accepts_the_only_possible_thread),
		cmocka_unit_test(does_not_guess),
		cmocka_unit_test(ignores_other_processes),
		cmocka_unit_test(learns_from_exec),
		cmocka_unit_test(uses_task_newtask),
		cmocka_unit_test(prefers_sched_process_exec),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
