/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>
#include <signal.h>

#include "analyze/tasks/restarts.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define HANDLER 0x5555
#define RESTART 0x14000000 /* SA_RESTART, and what the C library adds */
#define ONCE	0x04000000

enum {
	READ = 0,
	SIGRETURN = 15,
	PAUSE = 34,
	NANOSLEEP = 35,
	EXECVE = 59,
	RESTART_SYSCALL = 219,
};

static const char *name_of(int number)
{
	switch (number) {
	case READ:
		return "sys_enter_read";
	case SIGRETURN:
		return "sys_enter_rt_sigreturn";
	case RESTART_SYSCALL:
		return "sys_enter_restart_syscall";
	default:
		return "sys_enter_other";
	}
}

struct bench {
	struct restarts restarts;
	struct strbuf got;
	uint64_t missed;
};

static void write_fate(void *data, const struct restart *restart)
{
	static const char *const fates[] = { "unknown", "restarted", "EINTR", "ended" };
	struct bench *bench = data;

	strbuf_addf(&bench->got, "%d %d %s", restart->pid, (int)restart->number,
		    fates[restart->fate]);
	if (restart->signal)
		strbuf_addf(&bench->got, " %d", restart->signal);
	strbuf_addc(&bench->got, '\n');
}

static void begin(struct bench *bench)
{
	*bench = (struct bench){ 0 };
	restarts_listen(&bench->restarts, write_fate, bench);
}

static void give(struct bench *bench, struct decoded_event *decoded, int32_t pid)
{
	struct fathom_event event = { .pid = pid, .missed = bench->missed };

	bench->missed = 0;
	decoded->event = &event;
	restarts_feed(&bench->restarts, decoded);
}

static void leave(struct bench *bench, int32_t pid, int number, int64_t result)
{
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_EXIT };

	decoded.call_number.number = number;
	decoded.call_number.result = result;
	give(bench, &decoded, pid);
}

static void enter(struct bench *bench, int32_t pid, int number)
{
	struct event_format format = { .name = name_of(number) };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY, .entry = &entry };

	decoded.call_number.number = number;
	give(bench, &decoded, pid);
}

static void deliver(struct bench *bench, int32_t pid, int number, uint64_t handler, uint64_t flags)
{
	struct decoded_event decoded = { .kind = DECODED_SIGNAL };

	decoded.signal.number = number;
	decoded.signal.has_action = true;
	decoded.signal.handler = handler;
	decoded.signal.flags = flags;
	give(bench, &decoded, pid);
}

static void end(struct bench *bench, int32_t pid)
{
	struct decoded_event decoded = { .kind = DECODED_TASK_EXIT };

	decoded.task.pid = pid;
	give(bench, &decoded, pid);
}

static void check(struct bench *bench, const char *expected)
{
	assert_int_equal(restarts_finish(&bench->restarts), 0);
	assert_string_equal(strbuf_str(&bench->got), expected);
	assert_int_equal(bench->restarts.open, 0);
	restarts_done(&bench->restarts);
	strbuf_done(&bench->got);
}

/* The rules of the kernel's handle_signal(). */
static void follows_the_rules_of_handlers(void **state)
{
	struct bench bench;

	begin(&bench);
	for (int code = 512; code <= 516; code++)
		for (int restart = 0; restart <= 1; restart++) {
			leave(&bench, code, READ, -code);
			deliver(&bench, code, SIGALRM, HANDLER, restart ? RESTART : ONCE);
			enter(&bench, code, SIGRETURN);
		}
	check(&bench, "512 0 EINTR 14\n512 0 restarted 14\n"
		      "513 0 restarted 14\n513 0 restarted 14\n"
		      "514 0 EINTR 14\n514 0 EINTR 14\n"
		      "516 0 EINTR 14\n516 0 EINTR 14\n");
}

/* Another thread executed a program and took over the pid: the task ended. */
static void ends_with_exec(void **state)
{
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_EXIT };
	struct decoded_event exec = { .kind = DECODED_EXEC };
	struct bench bench;

	begin(&bench);
	leave(&bench, 7, PAUSE, -514);
	decoded.call_number.number = EXECVE;
	decoded.call_number.old_pid = 8;
	give(&bench, &decoded, 7);
	leave(&bench, 7, READ, -512);
	exec.path.old_pid = 8;
	give(&bench, &exec, 7);
	leave(&bench, 7, READ, -512);
	exec.path.old_pid = 7;
	give(&bench, &exec, 7);
	check(&bench, "7 34 ended\n7 0 ended\n7 0 unknown\n");
}

static void restarts_without_a_handler(void **state)
{
	struct bench bench;

	begin(&bench);
	leave(&bench, 7, READ, -512);
	deliver(&bench, 7, SIGTSTP, 0, 0);
	enter(&bench, 7, READ);
	leave(&bench, 7, NANOSLEEP, -516);
	enter(&bench, 7, RESTART_SYSCALL);
	/* An ignored signal, then a handled one. */
	leave(&bench, 7, PAUSE, -514);
	deliver(&bench, 7, SIGHUP, 1, 0);
	deliver(&bench, 7, SIGUSR1, HANDLER, 0);
	check(&bench, "7 0 restarted\n7 35 restarted\n7 34 EINTR 10\n");
}

static void ends_with_the_task(void **state)
{
	struct bench bench;

	begin(&bench);
	leave(&bench, 7, READ, -512);
	deliver(&bench, 7, SIGKILL, 0, 0);
	leave(&bench, 8, READ, -512);
	deliver(&bench, 8, SIGSEGV, 0, 0);
	leave(&bench, 9, READ, -513);
	end(&bench, 9);
	check(&bench, "7 0 ended\n8 0 ended\n9 0 ended\n");
}

static void infers_from_the_next_call(void **state)
{
	struct bench bench;

	begin(&bench);
	/* The program itself may have retried. */
	leave(&bench, 7, READ, -512);
	enter(&bench, 7, READ);
	/* A handler ran; its flags are unknown, but matter only for this call. */
	leave(&bench, 7, READ, -512);
	enter(&bench, 7, SIGRETURN);
	leave(&bench, 7, PAUSE, -514);
	enter(&bench, 7, SIGRETURN);
	leave(&bench, 7, READ, -516);
	enter(&bench, 7, 99);
	/* From here on, handlers would be visible. */
	leave(&bench, 7, READ, -512);
	enter(&bench, 7, READ);
	leave(&bench, 7, READ, -513);
	enter(&bench, 7, READ);
	leave(&bench, 7, READ, -516);
	enter(&bench, 7, RESTART_SYSCALL);
	check(&bench, "7 0 unknown\n7 0 unknown\n7 34 EINTR\n7 0 EINTR\n7 0 restarted\n"
		      "7 0 restarted\n7 0 restarted\n");
}

static void does_not_guess(void **state)
{
	struct bench bench;

	begin(&bench);
	deliver(&bench, 7, SIGUSR1, HANDLER, 0);
	leave(&bench, 7, READ, -512);
	bench.missed = 3;
	enter(&bench, 7, READ);
	/* The exit of another call, whose entry is missing. */
	leave(&bench, 7, READ, -512);
	leave(&bench, 7, PAUSE, 0);
	/* The second of two exit events; the recording ends. */
	leave(&bench, 7, READ, -512);
	restarts_feed(&bench.restarts, &(struct decoded_event){ .kind = DECODED_SYSCALL_EXIT,
								.event = &(struct fathom_event){
									.pid = 7, .id = 1 } });
	assert_int_equal(bench.restarts.open, 1);
	/* The same event again means that there was another call in between. */
	leave(&bench, 7, READ, -512);
	assert_int_equal(bench.restarts.open, 1);
	check(&bench, "7 0 unknown\n7 0 unknown\n7 0 unknown\n7 0 unknown\n");
}

static int note_some(void *arg)
{
	struct bench bench;
	int r;

	begin(&bench);
	for (int pid = 1; pid < 40; pid++)
		leave(&bench, pid, READ, -512);
	r = restarts_finish(&bench.restarts);
	restarts_done(&bench.restarts);
	if (bench.got.err)
		r = -ENOMEM;
	strbuf_done(&bench.got);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(note_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_rules_of_handlers),
		cmocka_unit_test(restarts_without_a_handler),
		cmocka_unit_test(ends_with_the_task),
		cmocka_unit_test(ends_with_exec),
		cmocka_unit_test(infers_from_the_next_call),
		cmocka_unit_test(does_not_guess),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
