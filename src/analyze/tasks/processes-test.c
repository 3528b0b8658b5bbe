/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <signal.h>

#include "analyze/tasks/processes.h"
#include "base/cleanup.h"
#include "base/mem.h"

#define THREAD	     0x10000 /* CLONE_THREAD */
#define HANDLER	     0x5555
#define ALL_THE_TIME UINT64_MAX

struct step {
	enum decoded_kind kind;
	int32_t pid; /* of the event */
	int32_t other; /* a child, an old pid, the receiver of a signal */
	int32_t number; /* a signal; an exit code */
	int32_t code;
	uint64_t value; /* flags of clone(), a handler, a result */
	const char *name;
	uint64_t missed;
};

#define NEW(pid, child, flags)                                     \
	{                                                          \
		DECODED_NEW_TASK, pid, child, 0, 0, flags, NULL, 0 \
	}
#define EXEC(pid, old)                                       \
	{                                                    \
		DECODED_EXEC, pid, old, 0, 0, 0, "/bin/x", 0 \
	}
#define END(pid)                                            \
	{                                                   \
		DECODED_TASK_EXIT, pid, 0, 0, 0, 0, NULL, 0 \
	}
#define GOT(pid, number, code, handler)                                \
	{                                                              \
		DECODED_SIGNAL, pid, 0, number, code, handler, NULL, 0 \
	}
#define SENT(pid, to, number, code, result)                                 \
	{                                                                   \
		DECODED_SIGNAL_SENT, pid, to, number, code, result, NULL, 0 \
	}
#define CALL(pid, name, first)                                                   \
	{                                                                        \
		DECODED_SYSCALL_ENTRY, pid, 0, first, 0, 0, "sys_enter_" name, 0 \
	}
#define LOST(pid)                                                        \
	{                                                                \
		DECODED_SYSCALL_ENTRY, pid, 0, 0, 0, 0, "sys_enter_x", 5 \
	}

static void feed(struct processes *processes, const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct step *step = &steps[i];
		struct event_format format = { .name = step->name };
		struct event_entry entry = { .format = &format };
		struct fathom_event event = { .time = i + 1,
					      .pid = step->pid,
					      .missed = step->missed };
		struct decoded_event decoded = { .kind = step->kind,
						 .event = &event,
						 .entry = &entry };

		switch (step->kind) {
		case DECODED_NEW_TASK:
			decoded.task.pid = step->other;
			decoded.task.flags = step->value;
			break;
		case DECODED_EXEC:
			decoded.path.text = step->name;
			decoded.path.len = strlen(step->name);
			decoded.path.old_pid = step->other;
			break;
		case DECODED_TASK_EXIT:
			decoded.task.pid = step->pid;
			break;
		case DECODED_SYSCALL_ENTRY:
			decoded.call_number.first = (uint64_t)step->number;
			break;
		default:
			decoded.signal.number = step->number;
			decoded.signal.pid = step->other;
			decoded.signal.code = step->code;
			decoded.signal.has_code = true;
			decoded.signal.has_action = true;
			decoded.signal.handler = step->value;
			decoded.signal.result = (int32_t)step->value;
			break;
		}
		processes_feed(processes, &decoded);
	}
}

#define FEED_ALL(processes, ...)                                        \
	do {                                                            \
		static const struct step steps[] = { __VA_ARGS__ };     \
		feed(processes, steps, sizeof(steps) / sizeof(*steps)); \
	} while (0)
#define FEED(processes, ...)                      \
	do {                                      \
		FEED_ALL(processes, __VA_ARGS__); \
		require(!(processes)->nomem);     \
	} while (0)

static struct process_ending ending_of(const struct processes *processes, int32_t pid)
{
	const struct process *process = processes_find(processes, pid, ALL_THE_TIME);

	assert_non_null(process);
	return process_ending(processes, process);
}

static const struct process_signal *find_signal(const struct processes *processes, int32_t pid,
						int32_t number)
{
	for (size_t i = 0; i < processes->n_signals; i++)
		if (processes->signals[i].number == number &&
		    processes->list[processes->signals[i].process].pid == pid)
			return &processes->signals[i];
	return NULL;
}

static void assert_killed(const struct processes *processes, int32_t pid, int32_t signal,
			  enum process_dump dump)
{
	struct process_ending ending = ending_of(processes, pid);

	assert_int_equal(ending.how, PROCESS_KILLED);
	assert_int_equal(ending.signal, signal);
	assert_int_equal(ending.dump, dump);
}

static void assert_exited(const struct processes *processes, int32_t pid, int32_t code)
{
	struct process_ending ending = ending_of(processes, pid);

	assert_int_equal(ending.how, PROCESS_EXITED);
	assert_true(ending.has_code);
	assert_int_equal(ending.code, code);
}

static void assert_unknown(const struct processes *processes, int32_t pid)
{
	assert_int_equal(ending_of(processes, pid).how, PROCESS_END_UNKNOWN);
}

/* The kernel ends the other threads by a SIGKILL without a sender. */
static void exit_group_sends_no_signals(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };

	FEED(&processes, EXEC(7, 7), NEW(7, 8, THREAD), NEW(7, 9, THREAD), CALL(8, "exit_group", 5),
	     END(8), GOT(7, SIGKILL, 0, 0), END(7), GOT(9, SIGKILL, 0, 0), END(9));
	assert_int_equal(processes_count_signals(&processes, 0), 0);
	assert_exited(&processes, 7, 5);
	assert_unknown(&processes, 8);
}

static void recognizes_signals_that_terminate_at_once(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };
	const struct process_signal *signal;

	FEED(&processes, EXEC(7, 7), NEW(7, 8, 0), SENT(7, 8, SIGTERM, SI_USER, 0),
	     GOT(8, SIGKILL, 0, 0), END(8), SENT(8, 7, SIGCHLD, CLD_KILLED, SIGNAL_RESULT_IGNORED),
	     CALL(7, "exit_group", 0), END(7), SENT(7, 3, SIGCHLD, CLD_EXITED, 0));
	assert_killed(&processes, 8, SIGTERM, PROCESS_NOT_DUMPED);
	assert_exited(&processes, 7, 0);
	assert_null(find_signal(&processes, 8, SIGKILL));
	signal = find_signal(&processes, 8, SIGTERM);
	assert_non_null(signal);
	assert_int_equal(signal->sender, 7);
	assert_int_equal(signal->terminated, 1);
	assert_int_equal(signal->pending, 0);
	signal = find_signal(&processes, 7, SIGCHLD);
	assert_non_null(signal);
	assert_int_equal(signal->sender, SENDER_KERNEL);
	assert_int_equal(signal->ignored, 1);
	/*
	 * The end of a child is not worth reporting if its parent is the recorder or ignores it.
	 */
	assert_int_equal(processes_count_signals(&processes, 0), 1);
	assert_false(process_signal_matters(&processes, signal));
	assert_int_equal(processes_count_signals(&processes, 8), 1);
}

static void counts_all_signals_of_a_process(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };
	const struct process_signal *signal;

	FEED(&processes, EXEC(7, 7), SENT(7, 7, SIGUSR1, SI_USER, 0),
	     GOT(7, SIGUSR1, SI_USER, HANDLER), SENT(7, 7, SIGUSR1, SI_USER, 0),
	     SENT(7, 7, SIGUSR1, SI_USER, SIGNAL_RESULT_PENDING), GOT(7, SIGUSR1, SI_USER, HANDLER),
	     GOT(7, SIGALRM, SI_KERNEL, HANDLER), GOT(7, SIGHUP, SI_USER, HANDLER),
	     GOT(7, SIGURG, SI_USER, 0), GOT(7, SIGTSTP, SI_KERNEL, 0),
	     SENT(7, 7, 34, SI_QUEUE, 0));
	signal = find_signal(&processes, 7, SIGUSR1);
	assert_int_equal(signal->count, 3);
	assert_int_equal(signal->handled, 2);
	assert_int_equal(signal->merged, 1);
	assert_int_equal(signal->sender, 7);
	assert_int_equal(find_signal(&processes, 7, SIGALRM)->sender, SENDER_KERNEL);
	assert_int_equal(find_signal(&processes, 7, SIGHUP)->sender, SENDER_UNKNOWN);
	assert_int_equal(find_signal(&processes, 7, SIGURG)->ignored, 1);
	assert_int_equal(find_signal(&processes, 7, SIGTSTP)->stopped, 1);
	assert_int_equal(find_signal(&processes, 7, 34)->pending, 1);
	assert_int_equal(processes_count_signals(&processes, 0), 8);
	assert_unknown(&processes, 7);
}

static void recognizes_all_kinds_of_fatal_signals(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };

	FEED(&processes, EXEC(1, 1),
	     /* Kills itself, and can no longer act. */
	     NEW(1, 2, 0), SENT(2, 2, SIGKILL, SI_USER, 0), GOT(2, SIGKILL, 0, 0), END(2),
	     /* By a fault; the report to the parent says whether it dumped core. */
	     NEW(1, 3, 0), SENT(3, 3, SIGSEGV, 1, 0), GOT(3, SIGSEGV, 1, 0), END(3), NEW(1, 4, 0),
	     SENT(4, 4, SIGSEGV, 1, 0), GOT(4, SIGSEGV, 1, 0), END(4),
	     SENT(4, 1, SIGCHLD, CLD_DUMPED, SIGNAL_RESULT_IGNORED),
	     /* By a sender that was not recorded. */
	     NEW(1, 5, 0), GOT(5, SIGKILL, 0, 0), END(5),
	     /* By a signal that was blocked first. */
	     NEW(1, 6, 0), SENT(1, 6, SIGINT, SI_USER, 0), CALL(6, "a", 0), CALL(6, "b", 0),
	     GOT(6, SIGINT, SI_USER, 0), END(6),
	     /* By another signal than the blocked one. */
	     NEW(1, 7, 0), SENT(1, 7, SIGINT, SI_USER, 0), CALL(7, "a", 0), CALL(7, "b", 0),
	     SENT(1, 7, SIGTERM, SI_USER, 0), GOT(7, SIGKILL, 0, 0), END(7),
	     /* It is unknown which of two signals came first. */
	     NEW(1, 8, 0), SENT(1, 8, SIGTERM, SI_USER, 0), SENT(1, 8, SIGKILL, SI_USER, 0),
	     GOT(8, SIGKILL, 0, 0), END(8),
	     /* Likewise here; but the parent gets a report. */
	     NEW(1, 9, 0), SENT(1, 9, SIGTERM, SI_USER, 0), CALL(9, "exit_group", 4), END(9),
	     NEW(1, 10, 0), SENT(1, 10, SIGTERM, SI_USER, 0), CALL(10, "exit_group", 4), END(10),
	     SENT(10, 1, SIGCHLD, CLD_EXITED, 0));
	assert_killed(&processes, 2, SIGKILL, PROCESS_NOT_DUMPED);
	assert_killed(&processes, 3, SIGSEGV, PROCESS_DUMP_UNKNOWN);
	assert_killed(&processes, 4, SIGSEGV, PROCESS_DUMPED);
	assert_killed(&processes, 5, 0, PROCESS_DUMP_UNKNOWN);
	assert_killed(&processes, 6, SIGINT, PROCESS_NOT_DUMPED);
	assert_int_equal(find_signal(&processes, 6, SIGINT)->terminated, 1);
	assert_killed(&processes, 7, SIGTERM, PROCESS_NOT_DUMPED);
	assert_killed(&processes, 8, 0, PROCESS_DUMP_UNKNOWN);
	assert_unknown(&processes, 9);
	assert_exited(&processes, 10, 4);
}

static void recognizes_exits_without_exit_group(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };

	FEED(&processes, NEW(1, 2, 0), NEW(2, 3, THREAD), CALL(2, "exit", 6), END(2));
	assert_unknown(&processes, 2);
	FEED(&processes, CALL(3, "exit", 1), END(3));
	assert_exited(&processes, 2, 6);
}

static void a_pending_signal_does_not_end_an_exiting_process(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };

	FEED(&processes, EXEC(7, 7), NEW(7, 8, THREAD), SENT(1, 7, SIGTERM, SI_USER, 0),
	     CALL(8, "exit_group", 5), END(8), GOT(7, SIGKILL, 0, 0), END(7),
	     SENT(7, 3, SIGCHLD, CLD_STOPPED, 0));
	assert_unknown(&processes, 7);
	FEED(&processes, SENT(7, 3, SIGCHLD, CLD_EXITED, 0));
	assert_exited(&processes, 7, 5);
	assert_int_equal(find_signal(&processes, 7, SIGTERM)->terminated, 0);
}

/* Lost events may be the decisive ones. */
static void does_not_guess(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };
	_cleanup_(processes_done) struct processes lost = { 0 };

	/* A thread of a process that predates the trace. */
	FEED(&processes, CALL(7, "read", 3), GOT(7, SIGKILL, 0, 0), END(7));
	assert_unknown(&processes, 7);
	FEED(&lost, EXEC(7, 7), LOST(7), GOT(7, SIGKILL, 0, 0), END(7));
	assert_unknown(&lost, 7);
}

/* The thread takes over the pid of the first one, which the kernel ended. */
static void follows_exec_by_a_second_thread(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };

	FEED(&processes, EXEC(7, 7), NEW(7, 8, THREAD), CALL(8, "execve", 0), GOT(7, SIGKILL, 0, 0),
	     END(7), EXEC(7, 8));
	assert_int_equal(processes_count_signals(&processes, 0), 0);
	assert_unknown(&processes, 7);
	assert_int_equal(processes_find(&processes, 7, ALL_THE_TIME)->ended, 0);
	assert_int_equal(processes_find(&processes, 8, ALL_THE_TIME)->ended, 6);
	FEED(&processes, CALL(7, "exit_group", 2), END(7));
	assert_exited(&processes, 7, 2);
}

static void distinguishes_tasks_with_the_same_pid(void **state)
{
	_cleanup_(processes_done) struct processes processes = { 0 };

	FEED(&processes, EXEC(1, 1), NEW(1, 2, 0), CALL(2, "exit_group", 3), END(2), NEW(1, 2, 0),
	     CALL(2, "exit_group", 4), END(2), NEW(1, 2, THREAD));
	assert_int_equal(processes.n, 4);
	assert_true(processes_find(&processes, 2, ALL_THE_TIME)->thread);
	assert_int_equal(process_ending(&processes, processes_find(&processes, 2, 6)).code, 4);
	assert_int_equal(process_ending(&processes, processes_find(&processes, 2, 4)).code, 3);
	assert_int_equal(process_ending(&processes, processes_find(&processes, 2, 1)).code, 3);
	assert_null(processes_find(&processes, 3, 1));
}

static int feed_some(void *arg)
{
	_cleanup_(processes_done) struct processes processes = { 0 };

	FEED_ALL(&processes, EXEC(1, 1), NEW(1, 2, 0), NEW(2, 3, THREAD), SENT(3, 1, SIGHUP, 0, 0),
		 SENT(1, 3, SIGTERM, 0, 0), GOT(3, SIGKILL, 0, 0), GOT(1, SIGUSR1, 0, 0), END(1));
	return processes.nomem ? -ENOMEM : 0;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_group_sends_no_signals),
		cmocka_unit_test(recognizes_signals_that_terminate_at_once),
		cmocka_unit_test(counts_all_signals_of_a_process),
		cmocka_unit_test(recognizes_all_kinds_of_fatal_signals),
		cmocka_unit_test(recognizes_exits_without_exit_group),
		cmocka_unit_test(a_pending_signal_does_not_end_an_exiting_process),
		cmocka_unit_test(does_not_guess),
		cmocka_unit_test(follows_exec_by_a_second_thread),
		cmocka_unit_test(distinguishes_tasks_with_the_same_pid),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
