/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of failed requests in messages, among failed system calls. */
#include "test.h"

#include <errno.h>

#include "analyze/why/failures.h"
#include "base/strbuf.h"

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
static void returns(struct bench *bench, int32_t pid, const char *event, int64_t result)
{
	struct event_format format = { .system = "syscalls", .name = event };
	struct event_entry entry = { .format = &format };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_EXIT, .entry = &entry };

	decoded.call_number.number = event[9];
	decoded.call_number.result = result;
	give(bench, pid, &decoded);
}

static void answers(struct bench *bench, int32_t pid, int error, const char *said)
{
	struct decoded_event decoded = { .kind = DECODED_NETLINK };

	decoded.netlink.error = error;
	decoded.netlink.type = 16;
	decoded.netlink.text.s = said;
	decoded.netlink.text.len = said ? strlen(said) : 0;
	give(bench, pid, &decoded);
}

/* A request that the kernel refuses while the program sends it. */
static void is_refused(struct bench *bench, int32_t pid, int error, const char *said)
{
	answers(bench, pid, error, said);
	returns(bench, pid, "sys_exit_sendmsg", 40);
}

static void uring(struct bench *bench, enum decoded_kind kind, int32_t pid, uint64_t ring,
		  uint64_t data, int32_t result)
{
	struct decoded_event decoded = { .kind = kind };

	decoded.uring.ring = ring;
	decoded.uring.request = 0xa00 + data;
	decoded.uring.data = data;
	decoded.uring.operation = 18;
	decoded.uring.result = result;
	give(bench, pid, &decoded);
}

static void looks_for(struct bench *bench, int32_t pid, const char *path)
{
	struct decoded_event decoded = { .kind = DECODED_PATH };

	decoded.path.text = path;
	decoded.path.len = strlen(path);
	give(bench, pid, &decoded);
}

static void writes(struct bench *bench, int32_t pid, const char *text)
{
	struct decoded_event decoded = { .kind = DECODED_WRITTEN };

	decoded.path.text = text;
	decoded.path.len = strlen(text);
	decoded.path.dir = 2;
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

	if (failures_finish(&bench->failures) == 0) {
		for (size_t i = 0; i < failures->n; i++)
			if (failures_is_wanted(failures, i, choice))
				strbuf_addf(&got, "%s %d\n", failures->found[i].text,
					    failures->found[i].error);
		if (succeeds(!got.err))
			assert_string_equal(strbuf_str(&got), expected);
	}
	failures_done(&bench->failures);
}

static const struct failure_choice chosen, all = { .all = true };

static void an_error_reply_is_a_failure(void **state)
{
	struct bench bench = { 0 };

	returns(&bench, 7, "sys_exit_openat", -ENOENT);
	is_refused(&bench, 7, ENODEV, NULL);
	writes(&bench, 7, "tool: No such device\n");
	ends(&bench, 7, 1);
	expect(&bench, &chosen, "netlink request 19\n");
}

static void keeps_the_kernels_message(void **state)
{
	struct bench bench = { 0 };

	is_refused(&bench, 7, EOPNOTSUPP, "Unknown kind");
	returns(&bench, 7, "sys_exit_openat", -EACCES);
	writes(&bench, 7, "Error: Unknown kind.\n");
	ends(&bench, 7, 1);
	expect(&bench, &chosen, "netlink request 95\n");
}

static void a_successful_reply_is_not_a_failure(void **state)
{
	struct bench bench = { 0 };

	is_refused(&bench, 7, 0, NULL);
	ends(&bench, 7, 1);
	expect(&bench, &all, "");
}

static void a_reply_belongs_to_the_sender(void **state)
{
	struct bench bench = { 0 };

	answers(&bench, 7, ENODEV, NULL);
	returns(&bench, 8, "sys_exit_sendmsg", 40);
	expect(&bench, &all, "");
}

static void handled_requests_do_not_matter(void **state)
{
	struct bench bench = { 0 };

	is_refused(&bench, 7, ENODEV, NULL);
	ends(&bench, 7, 0);
	expect(&bench, &chosen, "");
}

static void a_call_that_fails_later_matters_more(void **state)
{
	struct bench bench = { 0 };

	is_refused(&bench, 7, ENODEV, NULL);
	returns(&bench, 7, "sys_exit_openat", -EACCES);
	ends(&bench, 7, 1);
	expect(&bench, &chosen, "openat(?) 13\n");
}

static void an_io_uring_request_can_fail(void **state)
{
	struct bench bench = { 0 };

	returns(&bench, 7, "sys_exit_openat", -EACCES);
	uring(&bench, DECODED_URING, 7, 0x1000, 0, 0);
	uring(&bench, DECODED_URING_SUBMIT, 7, 0x1000, 1, 0);
	looks_for(&bench, 7, "nofile");
	/* A kernel thread executed it. */
	uring(&bench, DECODED_URING_COMPLETE, 99, 0x1000, 1, -ENOENT);
	uring(&bench, DECODED_URING_COMPLETE, 99, 0x2000, 1, -EIO);
	returns(&bench, 7, "sys_exit_io_uring_enter", 1);
	writes(&bench, 7, "tool: nofile: No such file or directory\n");
	ends(&bench, 7, 1);
	expect(&bench, &chosen, "io_uring openat \"nofile\" 2\n");
}

static void later_success_in_io_uring_is_evidence_against(void **state)
{
	struct bench bench = { 0 };

	uring(&bench, DECODED_URING, 7, 0x1000, 0, 0);
	for (uint64_t i = 1; i <= 2; i++) {
		uring(&bench, DECODED_URING_SUBMIT, 7, 0x1000, i, 0);
		looks_for(&bench, 7, i == 1 ? "/a/conf" : "/b/conf");
		uring(&bench, DECODED_URING_COMPLETE, 7, 0x1000, i, i == 1 ? -ENOENT : 3);
	}
	ends(&bench, 7, 1);
	expect(&bench, &chosen, "");
}

static void all_requests_of_a_kind_can_be_selected(void **state)
{
	static const char *const calls[] = { "io_uring" };
	static const char *const net[] = { "net" };
	struct bench bench = { 0 };
	static const struct failure_choice rings = { .calls = calls, .n_calls = 1 };
	static const struct failure_choice none = { .calls = net, .n_calls = 1 };

	is_refused(&bench, 7, ENODEV, NULL);
	uring(&bench, DECODED_URING, 7, 0x1000, 0, 0);
	uring(&bench, DECODED_URING_SUBMIT, 7, 0x1000, 1, 0);
	uring(&bench, DECODED_URING_COMPLETE, 7, 0x1000, 1, -ENOENT);
	for (size_t i = 0; i < bench.failures.n; i++)
		assert_false(failures_is_wanted(&bench.failures, i, &none));
	expect(&bench, &rings, "io_uring openat 2\n");
}

static int collect(void *arg)
{
	struct bench bench = { 0 };
	int r;

	is_refused(&bench, 7, ENODEV, "no");
	uring(&bench, DECODED_URING, 7, 0x1000, 0, 0);
	uring(&bench, DECODED_URING_SUBMIT, 7, 0x1000, 1, 0);
	looks_for(&bench, 7, "nofile");
	uring(&bench, DECODED_URING_COMPLETE, 7, 0x1000, 1, -ENOENT);
	answers(&bench, 7, ENODEV, "never sent");
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
		cmocka_unit_test(an_error_reply_is_a_failure),
		cmocka_unit_test(keeps_the_kernels_message),
		cmocka_unit_test(a_successful_reply_is_not_a_failure),
		cmocka_unit_test(a_reply_belongs_to_the_sender),
		cmocka_unit_test(handled_requests_do_not_matter),
		cmocka_unit_test(a_call_that_fails_later_matters_more),
		cmocka_unit_test(an_io_uring_request_can_fail),
		cmocka_unit_test(later_success_in_io_uring_is_evidence_against),
		cmocka_unit_test(all_requests_of_a_kind_can_be_selected),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
