/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of user functions: their order relative to kernel activity, and the resulting call tree. */
#include "call-text.h"
#include "expect-text.h"
#include "test.h"

#include "analyze/calls/calls.h"
#include "analyze/tasks/time-account.h"
#include "analyze/stream/user-calls.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "symbols/probe/probed-functions.h"

static const char functions[] = "eg\nf/bin/app\n+main\n+work\n+leaf\n";
static const char symbols[] = "1000 t trap\n"
			      "1800 t notify\n"
			      "2000 t sys_write\n"
			      "3000 T __irqentry_text_start\n"
			      "3010 t interrupt\n"
			      "4000 T __irqentry_text_end\n"
			      "5000 t end\n";

enum {
	MAIN = 0,
	WORK = 1,
	LEAF = 2,
	TRAP = 0x1000,
	NOTIFY = 0x1800,
	WRITE = 0x2000,
	INTERRUPT = 0x3010,
};

#define ENTER  DECODED_USER
#define LEAVE  DECODED_TIMER_ENTRY /* represents the exit of a user function */
#define CALL   DECODED_CALL
#define RETURN DECODED_RETURN
#define SYS    DECODED_SYSCALL_ENTRY
#define SYSEND DECODED_SYSCALL_EXIT

struct step {
	enum decoded_kind kind;
	uint64_t time;
	int32_t pid;
	uint64_t what; /* function; the other task */
	uint64_t more; /* ENTER: stack pointer; CALL, RETURN: depth; NEW_TASK: flags */
	uint64_t duration, missed;
	uint32_t cpu;
};

struct sums {
	struct user_calls users;
	struct calls *calls;
	struct time_account account;
};

static void take(void *data, const struct decoded_event *decoded)
{
	struct sums *sums = data;

	calls_feed(sums->calls, decoded);
	time_account_feed(&sums->account, decoded);
}

static void feed(struct sums *sums, const struct step *step)
{
	struct fathom_event event = {
		.time = step->time, .pid = step->pid, .cpu = step->cpu, .missed = step->missed
	};
	struct decoded_event decoded = { .kind = step->kind, .event = &event };

	switch (step->kind) {
	case ENTER:
	case LEAVE:
		decoded.kind = DECODED_USER;
		decoded.call.func = probed_function_address((uint32_t)step->what);
		decoded.call.is_user = true;
		decoded.call.is_end = step->kind == LEAVE;
		decoded.call.stack = step->more;
		break;
	case CALL:
	case RETURN:
		decoded.call.func = step->what;
		decoded.call.depth = (int)step->more;
		decoded.call.duration = step->duration;
		break;
	case DECODED_SWITCH:
		decoded.sched.prev_pid = step->pid;
		decoded.sched.next_pid = (int32_t)step->what;
		decoded.sched.prev = step->more ? TASK_STATE_DEAD : TASK_STATE_SLEEPING;
		break;
	case DECODED_NEW_TASK:
		decoded.task.pid = (int32_t)step->what;
		decoded.task.flags = step->more;
		break;
	default:
		break;
	}
	user_calls_feed(&sums->users, &decoded, take, sums);
}

static int add_up(const struct step *steps, struct strbuf *text, uint64_t times[TIME_KINDS])
{
	struct probed_functions probed = { 0 };
	struct kallsyms kallsyms = { 0 };
	struct calls_options options = { .kallsyms = &kallsyms };
	struct sums sums = { .users.users = &probed, .account.has_switches = true };
	const struct call_tree *tree;
	int r = kallsyms_init(&kallsyms, symbols, strlen(symbols));

	if (r == 0)
		r = probed_functions_parse(&probed, functions, strlen(functions));
	kallsyms.users = &probed;
	if (r == 0)
		r = calls_new(&options, &sums.calls);
	for (; r == 0 && steps->time; steps++)
		feed(&sums, steps);
	if (r == 0)
		r = calls_finish(sums.calls, &tree);
	if (r == 0)
		r = time_account_finish(&sums.account, times);
	if (r == 0 && sums.users.nomem)
		r = -ENOMEM;
	if (r == 0)
		call_text(tree, text);
	calls_free(sums.calls);
	user_calls_done(&sums.users);
	time_account_done(&sums.account);
	probed_functions_done(&probed);
	kallsyms_done(&kallsyms);
	return r < 0 ? r : text->err;
}

static void expect(const struct step *steps, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t times[TIME_KINDS];
	int r = add_up(steps, &text, times);

	expect_text(r, &text, wanted);
}

/* Probe traps run in the kernel, called by the function that was running. */
static const struct step usual[] = {
	{ CALL, 100, 7, TRAP },
	{ ENTER, 110, 7, MAIN, 0x900 },
	{ RETURN, 120, 7, TRAP, .duration = 20 },
	{ CALL, 130, 7, TRAP },
	{ CALL, 132, 7, NOTIFY, 1 },
	{ ENTER, 135, 7, WORK, 0x800 },
	{ RETURN, 138, 7, NOTIFY, 1, .duration = 6 },
	{ RETURN, 140, 7, TRAP, .duration = 10 },
	{ SYS, 150, 7 },
	{ CALL, 152, 7, WRITE },
	{ RETURN, 158, 7, WRITE, .duration = 6 },
	{ SYSEND, 160, 7 },
	{ CALL, 170, 7, INTERRUPT },
	{ RETURN, 175, 7, INTERRUPT, .duration = 5 },
	{ CALL, 180, 7, TRAP },
	{ LEAVE, 185, 7, WORK },
	{ RETURN, 190, 7, TRAP, .duration = 10 },
	{ CALL, 195, 7, TRAP },
	{ LEAVE, 197, 7, MAIN },
	{ RETURN, 200, 7, TRAP, .duration = 5 },
	{ 0 },
};

static void kernel_activity_nests_in_user_functions(void **state)
{
	expect(usual, "main 1+0 total 80 own 15 stolen 5 asleep 0\n"
		      " work 1+0 total 50 own 29 stolen 5 asleep 0\n"
		      "  trap 1+0 total 10 own 10 stolen 0 asleep 0\n"
		      "  interrupt 1+0 total 5 own 5 stolen 0 asleep 0\n"
		      "  sys_write 1+0 total 6 own 6 stolen 0 asleep 0\n"
		      " trap 2+0 total 15 own 9 stolen 0 asleep 0\n"
		      "  notify 1+0 total 6 own 6 stolen 0 asleep 0\n"
		      "trap 1+0 total 20 own 20 stolen 0 asleep 0\n");
}

/* Each instant counts once, and user functions are not kernel time. */
static void time_belongs_to_the_program(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t times[TIME_KINDS] = { 0 };

	require(add_up(usual, &text, times) >= 0);
	assert_int_equal(times[TIME_KERNEL], 20 + 10 + 10 + 5 + 10 + 5);
	assert_int_equal(times[TIME_USER], 100 - 60);
}

static void recursion_nests(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, WORK, 0x900 },
		{ ENTER, 110, 7, WORK, 0x800 },
		{ ENTER, 120, 7, WORK, 0x700 },
		{ LEAVE, 130, 7, WORK },
		{ LEAVE, 140, 7, WORK },
		{ LEAVE, 150, 7, WORK },
		{ 0 },
	};

	expect(steps, "work 1+0 total 50 own 20 stolen 0 asleep 0\n"
		      " work 1+0 total 30 own 20 stolen 0 asleep 0\n"
		      "  work 1+0 total 10 own 10 stolen 0 asleep 0\n");
}

/* longjmp() leaves work() and leaf(); then main() calls another function. */
static void longjmp_leaves_functions(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, MAIN, 0x900 },
		{ ENTER, 110, 7, WORK, 0x800 },
		{ ENTER, 120, 7, LEAF, 0x700 },
		{ ENTER, 130, 7, LEAF, 0x880 },
		{ LEAVE, 140, 7, LEAF },
		{ LEAVE, 150, 7, MAIN },
		{ 0 },
	};

	expect(steps, "main 1+0 total 50 own 0 stolen 0 asleep 0\n"
		      " leaf 1+0 total 10 own 10 stolen 0 asleep 0\n"
		      " work 0+1 total 0 own 0 stolen 0 asleep 0\n"
		      "  leaf 0+1 total 0 own 0 stolen 0 asleep 0\n");
}

/* Both return at once; the second has the stack pointer of the first. */
static void a_tail_call_reuses_the_stack_pointer(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, WORK, 0x900 },
		{ ENTER, 110, 7, LEAF, 0x900 },
		{ LEAVE, 130, 7, LEAF },
		{ LEAVE, 130, 7, WORK },
		{ 0 },
	};

	expect(steps, "work 1+0 total 30 own 10 stolen 0 asleep 0\n"
		      " leaf 1+0 total 20 own 20 stolen 0 asleep 0\n");
}

static void a_function_that_exits_has_no_end(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, MAIN, 0x900 },
		{ SYS, 110, 7 },
		{ CALL, 112, 7, WRITE },
		{ DECODED_SWITCH, 120, 7, 0, 1 },
		/* Its pid is reused. */
		{ ENTER, 200, 7, WORK, 0x900 },
		{ LEAVE, 210, 7, WORK },
		{ 0 },
	};

	expect(steps, "work 1+0 total 10 own 10 stolen 0 asleep 0\n"
		      "main 0+1 total 0 own 0 stolen 0 asleep 0\n"
		      " sys_write 0+1 total 0 own 0 stolen 0 asleep 0\n");
}

/* The child is also in main(), without an entry of its own. A thread is not. */
static void children_inherit_open_functions(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, MAIN, 0x900 },
		{ DECODED_NEW_TASK, 110, 7, 8 },
		{ DECODED_NEW_TASK, 111, 7, 9, 0x100 },
		{ ENTER, 120, 8, WORK, 0x800 },
		{ LEAVE, 125, 8, WORK },
		{ ENTER, 130, 9, LEAF, 0x5000 },
		{ LEAVE, 140, 9, LEAF },
		{ LEAVE, 150, 8, MAIN },
		{ LEAVE, 160, 7, MAIN },
		{ 0 },
	};

	expect(steps, "leaf 1+0 total 10 own 10 stolen 0 asleep 0\n"
		      "main 1+0 total 60 own 60 stolen 0 asleep 0 and 5\n"
		      " work 1+0 total 5 own 5 stolen 0 asleep 0\n");
}

/*
 * A new program starts outside any function; kernel activity before its start belongs to the old
 * one.
 */
static void a_new_program_starts_outside_functions(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, MAIN, 0x900 },
		{ SYS, 110, 7 },
		{ CALL, 111, 7, WRITE },
		{ DECODED_EXEC, 115, 7 },
		{ RETURN, 120, 7, WRITE, .duration = 9 },
		{ SYSEND, 121, 7 },
		{ ENTER, 130, 7, WORK, 0x100 },
		{ LEAVE, 140, 7, WORK },
		{ 0 },
	};

	expect(steps, "work 1+0 total 10 own 10 stolen 0 asleep 0\n"
		      "main 0+1 total 0 own 0 stolen 0 asleep 0 and 9\n"
		      " sys_write 1+0 total 9 own 9 stolen 0 asleep 0\n");
}

/* The exits may belong to other calls. Functions that begin later are complete. */
static void lost_events_leave_no_durations(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, MAIN, 0x900 },
		{ ENTER, 110, 7, WORK, 0x800 },
		{ CALL, 150, 7, TRAP, .missed = 3 },
		{ RETURN, 155, 7, TRAP, .duration = 5 },
		{ ENTER, 160, 7, LEAF, 0x800 },
		{ LEAVE, 170, 7, LEAF },
		{ LEAVE, 180, 7, WORK },
		{ LEAVE, 190, 7, MAIN },
		{ 0 },
	};

	expect(steps, "main 0+1 total 0 own 0 stolen 0 asleep 0 and 15\n"
		      " leaf 1+0 total 10 own 10 stolen 0 asleep 0\n"
		      " work 0+2 total 0 own 0 stolen 0 asleep 0 and 5\n"
		      "  trap 1+0 total 5 own 5 stolen 0 asleep 0\n");
}

/* Events lost on other CPUs do not matter here. */
static void losses_on_other_cpus_do_not_matter(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, WORK, 0x900 },
		{ CALL, 110, 8, TRAP, .missed = 3, .cpu = 1 },
		{ RETURN, 115, 8, TRAP, .duration = 5, .cpu = 1 },
		{ LEAVE, 120, 7, WORK },
		{ 0 },
	};

	expect(steps, "trap 1+0 total 5 own 5 stolen 0 asleep 0\n"
		      "work 1+0 total 20 own 20 stolen 0 asleep 0\n");
}

static void sleep_is_separate(void **state)
{
	static const struct step steps[] = {
		{ ENTER, 100, 7, WORK, 0x900 },
		{ DECODED_SWITCH, 110, 7, 8 },
		{ DECODED_SWITCH, 140, 8, 7 },
		{ LEAVE, 150, 7, WORK },
		{ 0 },
	};

	expect(steps, "work 1+0 total 50 own 20 stolen 0 asleep 30\n");
}

/* In a process that predates the trace, functions have only an exit. */
static void starts_in_the_middle(void **state)
{
	static const struct step steps[] = {
		{ CALL, 100, 7, WRITE },
		{ RETURN, 105, 7, WRITE, .duration = 5 },
		{ LEAVE, 110, 7, LEAF },
		{ LEAVE, 120, 7, WORK },
		{ 0 },
	};

	expect(steps, "work 0+1 total 0 own 0 stolen 0 asleep 0\n"
		      "leaf 0+1 total 0 own 0 stolen 0 asleep 0\n"
		      "sys_write 1+0 total 5 own 5 stolen 0 asleep 0\n");
}

static void depth_is_bounded(void **state)
{
	struct probed_functions probed = { 0 };
	struct sums sums = { .users.users = &probed };
	struct calls_options options = { 0 };
	const struct call_tree *tree;

	require(calls_new(&options, &sums.calls) >= 0);
	for (uint64_t i = 0; i < 20000; i++)
		feed(&sums, &(struct step){ ENTER, 100 + i, 7, WORK, 0x100000 - i });
	assert_true(calls_finish(sums.calls, &tree) == -ENOMEM || tree->n < 3000);
	calls_free(sums.calls);
	user_calls_done(&sums.users);
	time_account_done(&sums.account);
}

static int add_up_once(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t times[TIME_KINDS];

	return add_up(arg, &text, times);
}

static void survives_failing_allocations(void **state)
{
	oom_check(add_up_once, (void *)usual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_activity_nests_in_user_functions),
		cmocka_unit_test(time_belongs_to_the_program),
		cmocka_unit_test(recursion_nests),
		cmocka_unit_test(longjmp_leaves_functions),
		cmocka_unit_test(a_tail_call_reuses_the_stack_pointer),
		cmocka_unit_test(a_function_that_exits_has_no_end),
		cmocka_unit_test(children_inherit_open_functions),
		cmocka_unit_test(a_new_program_starts_outside_functions),
		cmocka_unit_test(lost_events_leave_no_durations),
		cmocka_unit_test(losses_on_other_cpus_do_not_matter),
		cmocka_unit_test(sleep_is_separate),
		cmocka_unit_test(starts_in_the_middle),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
