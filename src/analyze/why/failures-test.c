/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/why/failures.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "format/bytes.h"

struct bench {
	struct failures failures;
	uint64_t time;
};

static void give(struct bench *bench, int32_t pid, struct decoded_event *decoded)
{
	struct fathom_event event = { .time = bench->time += 10, .pid = pid };

	decoded->event = &event;
	failures_feed(&bench->failures, decoded);
}

/* The exit of a system call whose entry was not seen. */
static void fails(struct bench *bench, int32_t pid, const char *event, int error)
{
	struct event_format format = { .system = "syscalls", .name = event };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_EXIT, .entry = &entry };

	decoded.call_number.number = event[9];
	decoded.call_number.result = -error;
	give(bench, pid, &decoded);
}

static void has_stack(struct bench *bench, int32_t pid, uint64_t address)
{
	static const char text[] =
		"name: user_stack\nID: 12\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned long caller[1];\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"\"\n";
	struct event_abi abi = { .long_size = 8, .big_endian = BYTES_HOST_BIG };
	uint64_t record[2] = { 0, address };
	struct fathom_event event = {
		.time = ++bench->time, .pid = pid, .data = record, .size = sizeof(record)
	};
	struct event_entry entry = { 0 };
	struct decoded_event decoded = { .kind = DECODED_USER_STACK,
					 .event = &event,
					 .entry = &entry };
	struct arena arena = { 0 };
	struct event_format *format;

	if (event_format_parse(text, strlen(text), "ftrace", abi, &arena, &format, NULL) == 0) {
		entry.format = format;
		decoded.sample.stack = event_field_find(format, "caller");
		failures_feed(&bench->failures, &decoded);
	}
	arena_done(&arena);
}

static void writes(struct bench *bench, int32_t pid, int fd, const char *text)
{
	struct decoded_event decoded = { .kind = DECODED_WRITTEN };

	decoded.path.text = text;
	decoded.path.len = strlen(text);
	decoded.path.dir = fd;
	give(bench, pid, &decoded);
}

static void ends(struct bench *bench, int32_t pid, int code)
{
	static struct event_format format = { .system = "syscalls",
					      .name = "sys_enter_exit_group" };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY, .entry = &entry };

	decoded.call_number.number = 231;
	decoded.call_number.first = (uint64_t)code;
	give(bench, pid, &decoded);
}

/* Checks the wanted failures, in chronological order. */
static void expect(struct bench *bench, const struct failure_choice *choice, const char *expected)
{
	_cleanup_strbuf_ struct strbuf got = { 0 };
	const struct failures *failures = &bench->failures;

	if (failures_finish(&bench->failures) < 0)
		return;
	for (size_t i = 0; i < failures->n; i++)
		if (failures_is_wanted(failures, i, choice))
			strbuf_addf(&got, "%s %d x%d\n", failures->found[i].text,
				    failures->found[i].error, (int)failures->found[i].count);
	if (succeeds(!got.err))
		assert_string_equal(strbuf_str(&got), expected);
}

/* A second event for the same exit, which has only a number. */
static void fails_again(struct bench *bench, int32_t pid, int error)
{
	struct event_format format = { .system = "raw_syscalls", .name = "sys_exit" };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_EXIT, .entry = &entry };

	decoded.call_number.number = 257;
	decoded.call_number.result = -error;
	give(bench, pid, &decoded);
}

static void begins(struct bench *bench, int32_t pid)
{
	static struct event_format format = { .system = "syscalls", .name = "sys_enter_read" };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY, .entry = &entry };

	give(bench, pid, &decoded);
}

static void gets_signal(struct bench *bench, int32_t pid, int number, uint64_t flags)
{
	struct decoded_event decoded = { .kind = DECODED_SIGNAL };

	decoded.signal.number = number;
	decoded.signal.has_action = true;
	decoded.signal.handler = 0x5555;
	decoded.signal.flags = flags;
	give(bench, pid, &decoded);
}

static void interrupted_calls_fail_with_eintr(void **state)
{
	static const struct failure_choice all = { .all = true };
	struct bench bench = { 0 };

	fails(&bench, 7, "sys_exit_read", 512);
	gets_signal(&bench, 7, 14, 0);
	/* Restarted, and of unknown fate. */
	fails(&bench, 7, "sys_exit_read", 512);
	gets_signal(&bench, 7, 14, 0x10000000);
	fails(&bench, 7, "sys_exit_read", 512);
	expect(&bench, &all, "read(?) 4 x1\n");
	assert_int_equal(bench.failures.n_failed, 1);
	assert_int_equal(bench.failures.found[0].signal, 14);
	failures_done(&bench.failures);
}

/* A shell that probes first. */
static void look_around(struct bench *bench, int32_t pid)
{
	for (int i = 0; i < 20; i++)
		fails(bench, pid, "sys_exit_access", ENOENT);
	fails(bench, pid, "sys_exit_openat", ENOENT);
	fails(bench, pid, "sys_exit_ioctl", ENOTTY);
}

static void messages_of_the_program_matter_most(void **state)
{
	struct bench bench = { 0 };

	look_around(&bench, 7);
	fails(&bench, 7, "sys_exit_openat", EACCES);
	fails(&bench, 7, "sys_exit_openat", ENOENT);
	writes(&bench, 7, 1, "a: No such file or directory");
	writes(&bench, 8, 2, "b: No such file or directory");
	writes(&bench, 7, 2, "cat: secret: Permission denied\n");
	fails(&bench, 7, "sys_exit_lseek", ESPIPE);
	ends(&bench, 7, 1);
	expect(&bench, &(struct failure_choice){ 0 }, "openat(?) 13 x1\n");
	failures_done(&bench.failures);
}

static void then_the_last_failure_before_an_error_exit(void **state)
{
	struct bench bench = { 0 };

	look_around(&bench, 7);
	fails(&bench, 7, "sys_exit_mkdir", EROFS);
	ends(&bench, 7, 1);
	look_around(&bench, 8);
	ends(&bench, 8, 0);
	expect(&bench, &(struct failure_choice){ 0 }, "mkdir(?) 30 x1\n");
	failures_done(&bench.failures);
}

static void nothing_matters_after_success(void **state)
{
	struct bench bench = { 0 };

	look_around(&bench, 7);
	ends(&bench, 7, 0);
	expect(&bench, &(struct failure_choice){ 0 }, "");
	failures_done(&bench.failures);
}

/* A shell whose last command succeeded, and a failure that another one reported. */
static void except_failures_in_messages(void **state)
{
	struct bench bench = { 0 };

	look_around(&bench, 7);
	fails(&bench, 8, "sys_exit_openat", EACCES);
	writes(&bench, 8, 2, "cat: secret: Permission denied\n");
	ends(&bench, 8, 1);
	ends(&bench, 7, 0);
	expect(&bench, &(struct failure_choice){ 0 }, "openat(?) 13 x1\n");
	failures_done(&bench.failures);
}

static void can_be_selected(void **state)
{
	static const char *const calls[] = { "access", "mkdir" };
	static const int errors[] = { ENOENT, EROFS };
	struct bench bench = { 0 };

	look_around(&bench, 7);
	fails(&bench, 7, "sys_exit_mkdir", EPERM);
	/* A call that is restarted after a signal has not failed. */
	fails(&bench, 7, "sys_exit_read", 512);
	ends(&bench, 7, 1);
	expect(&bench, &(struct failure_choice){ .calls = calls, .n_calls = 2 },
	       "access(?) 2 x20\nmkdir(?) 1 x1\n");
	expect(&bench, &(struct failure_choice){ .errors = errors, .n_errors = 2 },
	       "access(?) 2 x20\nopenat(?) 2 x1\n");
	expect(&bench,
	       &(struct failure_choice){
		       .calls = calls, .n_calls = 2, .errors = errors, .n_errors = 2 },
	       "access(?) 2 x20\n");
	expect(&bench, &(struct failure_choice){ .all = true },
	       "access(?) 2 x20\nopenat(?) 2 x1\nioctl(?) 25 x1\nmkdir(?) 1 x1\n");
	failures_done(&bench.failures);
}

/* Failures that matter are kept, no matter how many follow. */
static void keeps_failures_that_matter(void **state)
{
	struct bench bench = { 0 };

	fails(&bench, 7, "sys_exit_openat", EACCES);
	writes(&bench, 7, 2, "Permission denied\n");
	for (int32_t pid = 100; pid < 100 + 2 * FAILURES_MAX; pid++)
		fails(&bench, pid, "sys_exit_access", ENOENT);
	assert_true(bench.failures.nomem || bench.failures.n == FAILURES_MAX);
	expect(&bench, &(struct failure_choice){ 0 }, "openat(?) 13 x1\n");
	failures_done(&bench.failures);
}

static void the_stack_may_follow_the_exit(void **state)
{
	struct bench bench = { 0 };
	const struct failure *found;

	fails(&bench, 7, "sys_exit_openat", ENOENT);
	fails_again(&bench, 7, ENOENT);
	has_stack(&bench, 7, 0x1000);
	fails(&bench, 7, "sys_exit_getppid", EPERM);
	fails_again(&bench, 7, EPERM);
	has_stack(&bench, 8, 0x3000);
	has_stack(&bench, 7, 0x2000);
	expect(&bench, &(struct failure_choice){ .all = true },
	       "openat(?) 2 x1\ngetppid(?) 1 x1\n");
	found = bench.failures.found;
	if (succeeds(!bench.failures.nomem)) {
		assert_int_equal(found[0].stack.n, 1);
		assert_int_equal(found[0].stack.frames[0], 0x1000);
		assert_int_equal(found[1].stack.frames[0], 0x2000);
	}
	failures_done(&bench.failures);
}

/* If there are only numbers, they count. */
static void call_numbers_suffice(void **state)
{
	struct bench bench = { 0 };

	fails_again(&bench, 7, ENOENT);
	expect(&bench, &(struct failure_choice){ .all = true }, "?(?) 2 x1\n");
	failures_done(&bench.failures);
}

static int collect(void *arg)
{
	struct bench bench = { 0 };
	int r;

	look_around(&bench, 7);
	r = failures_finish(&bench.failures);
	failures_done(&bench.failures);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(collect, NULL);
}

/* A stack recorded in a later call is not that of the failed one. */
static void a_later_stack_belongs_to_another_call(void **state)
{
	struct bench bench = { 0 };
	const struct failures *failures = &bench.failures;

	fails(&bench, 7, "sys_exit_openat", EACCES);
	has_stack(&bench, 8, 0x30);
	begins(&bench, 7);
	has_stack(&bench, 7, 0x10);
	fails(&bench, 9, "sys_exit_openat", EACCES);
	has_stack(&bench, 9, 0x20);
	if (succeeds(failures_finish(&bench.failures) == 0 && failures->n == 2)) {
		assert_int_equal(failures->found[0].stack.n, 0);
		assert_int_equal(failures->found[1].stack.n, 1);
	}
	failures_done(&bench.failures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupted_calls_fail_with_eintr),
		cmocka_unit_test(messages_of_the_program_matter_most),
		cmocka_unit_test(then_the_last_failure_before_an_error_exit),
		cmocka_unit_test(nothing_matters_after_success),
		cmocka_unit_test(except_failures_in_messages),
		cmocka_unit_test(can_be_selected),
		cmocka_unit_test(keeps_failures_that_matter),
		cmocka_unit_test(the_stack_may_follow_the_exit),
		cmocka_unit_test(call_numbers_suffice),
		cmocka_unit_test(a_later_stack_belongs_to_another_call),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
