/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/failures.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

struct bench {
	struct failures failures;
	uint64_t time;
};

static void give(struct bench *bench, int32_t pid, struct happening *happening)
{
	struct fathom_event event = { .time = bench->time += 10, .pid = pid };

	happening->event = &event;
	failures_feed(&bench->failures, happening);
}

/* The end of a system call of which the beginning was not seen. */
static void fails(struct bench *bench, int32_t pid, const char *event, int error)
{
	struct event_format format = { .system = "syscalls", .name = event };
	struct event_entry entry = { .format = &format };
	struct happening happening = { .kind = HAPPENING_SYSCALL_EXIT, .entry = &entry };

	happening.call_number.number = event[9];
	happening.call_number.result = -error;
	give(bench, pid, &happening);
}

static void writes(struct bench *bench, int32_t pid, int fd, const char *text)
{
	struct happening happening = { .kind = HAPPENING_WRITTEN };

	happening.path.text = text;
	happening.path.len = strlen(text);
	happening.path.dir = fd;
	give(bench, pid, &happening);
}

static void ends(struct bench *bench, int32_t pid, int code)
{
	static struct event_format format = { .system = "syscalls",
					      .name = "sys_enter_exit_group" };
	struct event_entry entry = { .format = &format };
	struct happening happening = { .kind = HAPPENING_SYSCALL_ENTRY, .entry = &entry };

	happening.call_number.number = 231;
	happening.call_number.first = (uint64_t)code;
	give(bench, pid, &happening);
}

/* The failures that are wanted, in the order of time. */
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
	if (!got.err)
		assert_string_equal(strbuf_str(&got), expected);
}

/* A shell that looks around first. */
static void look_around(struct bench *bench, int32_t pid)
{
	for (int i = 0; i < 20; i++)
		fails(bench, pid, "sys_exit_access", ENOENT);
	fails(bench, pid, "sys_exit_openat", ENOENT);
	fails(bench, pid, "sys_exit_ioctl", ENOTTY);
}

static void what_the_program_tells_matters_most(void **state)
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

static void then_the_last_before_a_bad_end(void **state)
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

static void then_the_last_of_all(void **state)
{
	struct bench bench = { 0 };

	look_around(&bench, 7);
	ends(&bench, 7, 0);
	expect(&bench, &(struct failure_choice){ 0 }, "ioctl(?) 25 x1\n");
	failures_done(&bench.failures);
}

static void some_can_be_chosen(void **state)
{
	static const char *const calls[] = { "access", "mkdir" };
	static const int errors[] = { ENOENT, EROFS };
	struct bench bench = { 0 };

	look_around(&bench, 7);
	fails(&bench, 7, "sys_exit_mkdir", EPERM);
	/* What is tried again behind a signal has not failed. */
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

/* Those that matter stay, however many come behind them. */
static void remembers_what_matters(void **state)
{
	struct bench bench = { 0 };

	fails(&bench, 7, "sys_exit_openat", EACCES);
	writes(&bench, 7, 2, "Permission denied");
	for (int32_t pid = 100; pid < 100 + 2 * FAILURES_MAX; pid++)
		fails(&bench, pid, "sys_exit_access", ENOENT);
	assert_true(bench.failures.nomem || bench.failures.n == FAILURES_MAX);
	expect(&bench, &(struct failure_choice){ 0 }, "openat(?) 13 x1\n");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_program_tells_matters_most),
		cmocka_unit_test(then_the_last_before_a_bad_end),
		cmocka_unit_test(then_the_last_of_all),
		cmocka_unit_test(some_can_be_chosen),
		cmocka_unit_test(remembers_what_matters),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
