/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which failed calls matter, given what the program wrote and did after them. */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "analyze/why/failure-set.h"
#include "analyze/why/failures.h"
#include "analyze/why/meanings.h"
#include "base/arena.h"
#include "format/bytes.h"

struct bench {
	struct failures failures; /* only the list and the evidence are used */
	struct failure room[16];
	char *text; /* of the failed calls */
	uint64_t time;
};

static struct listed_call call_of(struct bench *bench, const char *name, const char *path)
{
	struct listed_call call = { .fate = SYSCALL_RETURNED,
				    .name = name,
				    .pid = 7,
				    .end = bench->time += 10,
				    .has_start = true };

	call.how.path = path;
	call.how.path_len = path ? strlen(path) : 0;
	return call;
}

/* Returns its index. */
static size_t fails(struct bench *bench, const char *name, const char *path, int error)
{
	struct failures *failures = &bench->failures;
	const struct listed_call call = call_of(bench, name, path);
	struct failure *failure = &bench->room[failures->n];

	failures->found = bench->room;
	*failure = (struct failure){ .name = name, .error = error, .pid = 7 };
	evidences_begin(&failures->evidences, &call, error, &failure->evidence);
	failure->text = bench->text;
	evidences_compare(&failures->evidences, failure);
	return failures->n++;
}

static void succeeds_with(struct bench *bench, const char *name, const char *path)
{
	const struct listed_call call = call_of(bench, name, path);

	evidences_succeeded(&bench->failures.evidences, &call, bench->room, bench->failures.n);
}

static void writes(struct bench *bench, const char *text)
{
	evidences_wrote(&bench->failures.evidences, 7, text, text ? strlen(text) : 0, bench->room,
			bench->failures.n);
}

static void exits(struct bench *bench, int code)
{
	static struct event_format format = { .system = "syscalls",
					      .name = "sys_enter_exit_group" };
	struct event_entry entry = { .format = &format };
	struct fathom_event event = { .time = bench->time += 10, .pid = 7 };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY,
					 .entry = &entry,
					 .event = &event };

	decoded.call_number.number = 231;
	decoded.call_number.first = (uint64_t)code;
	evidences_feed(&bench->failures.evidences, &decoded);
}

/* Leaves the bench empty. If memory is exhausted, expects nothing. */
static void expect(struct bench *bench, size_t place, enum evidence_kind kind)
{
	struct failures *failures = &bench->failures;
	int r = evidences_finish(&failures->evidences, bench->room, failures->n);

	if (succeeds(r == 0))
		assert_int_equal(bench->room[place].evidence.kind, kind);
}

static void done(struct bench *bench)
{
	for (size_t i = 0; i < bench->failures.n; i++)
		free(bench->room[i].evidence.object);
	evidences_done(&bench->failures.evidences);
}

static void a_file_found_elsewhere_does_not_matter(void **state)
{
	struct bench bench = { 0 };
	size_t place = fails(&bench, "openat", "/lib/tls/libx.so", ENOENT);
	size_t other = fails(&bench, "openat", "/lib/tls/liby.so", ENOENT);

	/* A query does not open the file. */
	succeeds_with(&bench, "newfstatat", "/lib/libx.so");
	expect(&bench, place, EVIDENCE_NONE);
	succeeds_with(&bench, "openat", "/lib/libx.so");
	expect(&bench, place, EVIDENCE_RETRIED);
	expect(&bench, other, EVIDENCE_NONE);
	done(&bench);
}

static void a_refused_request_may_succeed_in_another_way(void **state)
{
	struct bench bench = { 0 };
	size_t place = fails(&bench, "openat", "file", EACCES);

	succeeds_with(&bench, "newfstatat", "file");
	expect(&bench, place, EVIDENCE_NONE);
	succeeds_with(&bench, "openat", "file");
	expect(&bench, place, EVIDENCE_RETRIED);
	done(&bench);
}

static void rules_define_expected_failures(void **state)
{
	static const char text[] =
		"expected ENOENT EACCES: access:/etc/ld.so.*\nexpected ESPIPE: lseek\n";
	struct bench bench = { 0 };
	struct meanings *meanings = NULL;

	require(meanings_parse(text, strlen(text), &meanings, NULL) == 0);
	bench.failures.evidences.meanings = meanings;
	expect(&bench, fails(&bench, "access", "/etc/ld.so.preload", ENOENT), EVIDENCE_EXPECTED);
	expect(&bench, fails(&bench, "access", "/etc/ld.so.preload", EPERM), EVIDENCE_NONE);
	expect(&bench, fails(&bench, "openat", "/etc/ld.so.preload", ENOENT), EVIDENCE_NONE);
	expect(&bench, fails(&bench, "lseek", NULL, ESPIPE), EVIDENCE_EXPECTED);
	done(&bench);
	meanings_free(meanings);
}

static void a_message_with_error_and_file_is_evidence(void **state)
{
	struct bench bench = { 0 };
	size_t a = fails(&bench, "openat", "/tmp/a-file", ENOENT);
	size_t b = fails(&bench, "openat", "/tmp/b-file", ENOENT);
	size_t c = fails(&bench, "openat", "/tmp/c-file", EACCES);
	const char *last;

	/* In pieces, as an unbuffered program writes. */
	writes(&bench, "cat: ");
	writes(&bench, "a-file");
	writes(&bench, ": No such file or directory\n");
	writes(&bench, "cat: Permission denied\ncannot open 'b-file'");
	expect(&bench, a, EVIDENCE_BOTH);
	expect(&bench, b, EVIDENCE_OBJECT);
	expect(&bench, c, EVIDENCE_ERROR);
	if (succeeds(!bench.failures.evidences.nomem))
		assert_string_equal(evidences_message(&bench.failures.evidences, 7, &last),
				    "cat: a-file: No such file or directory");
	done(&bench);
}

static void keeps_first_and_last_line_without_evidence(void **state)
{
	struct bench bench = { 0 };
	const char *last = NULL, *first;

	writes(&bench, "Traceback:\n  in main\n");
	writes(&bench, "ValueError: no\n");
	first = evidences_message(&bench.failures.evidences, 7, &last);
	assert_string_equal(first, "Traceback:");
	assert_string_equal(last, "ValueError: no");
	done(&bench);
}

static void partial_names_do_not_match(void **state)
{
	struct bench bench = { 0 };
	size_t place = fails(&bench, "openat", "lib", EACCES);

	succeeds_with(&bench, "openat", "x");
	succeeds_with(&bench, "openat", "y");
	writes(&bench, "libc is old, my-lib is not, see liber\n");
	expect(&bench, place, EVIDENCE_NONE);
	writes(&bench, "(lib)\n");
	expect(&bench, place, EVIDENCE_OBJECT);
	done(&bench);
}

static void other_messages_must_follow_the_failure_directly(void **state)
{
	struct bench bench = { 0 };
	size_t early = fails(&bench, "openat", "early", EACCES), place;

	place = fails(&bench, "fsconfig", NULL, ENOTBLK);
	succeeds_with(&bench, "newfstatat", "/dev/null");
	writes(&bench, "mount: it is not a block device\n");
	exits(&bench, 32);
	expect(&bench, place, EVIDENCE_MESSAGE);
	expect(&bench, early, EVIDENCE_NONE);
	done(&bench);
}

static void a_program_that_continues_has_not_failed(void **state)
{
	struct bench bench = { 0 };
	size_t place = fails(&bench, "openat", "optional", ENOENT);

	succeeds_with(&bench, "openat", "input");
	succeeds_with(&bench, "openat", "output");
	writes(&bench, NULL);
	exits(&bench, 1);
	expect(&bench, place, EVIDENCE_NONE);
	done(&bench);
}

static void the_last_failure_explains_an_error_exit(void **state)
{
	struct bench good = { 0 }, bad = { 0 };
	size_t place = fails(&good, "openat", "file", ENOENT);

	exits(&good, 0);
	expect(&good, place, EVIDENCE_NONE);
	done(&good);
	place = fails(&bad, "openat", "file", ENOENT);
	exits(&bad, 1);
	expect(&bad, place, EVIDENCE_LAST);
	done(&bad);
}

static void touches_so(struct bench *bench, const char *event_name, uint64_t address,
		       uint64_t error)
{
	struct event_format format = { .system = "exceptions", .name = event_name };
	struct event_entry entry = { .format = &format };
	struct fathom_event event = { .time = bench->time += 10, .pid = 7 };
	struct decoded_event decoded = { .kind = DECODED_FAULT, .entry = &entry, .event = &event };

	decoded.amount.value = address;
	decoded.amount.error = error;
	evidences_feed(&bench->failures.evidences, &decoded);
}

static void touches(struct bench *bench, const char *event_name, uint64_t address)
{
	touches_so(bench, event_name, address, 0);
}

static void a_fallback_is_not_the_cause(void **state)
{
	struct bench bench = { 0 };
	size_t place = fails(&bench, "openat", "dir/data.db", EACCES);
	size_t other = fails(&bench, "openat", "dir/data.db", ENOENT);

	writes(&bench, "cannot open the database\n");
	expect(&bench, place, EVIDENCE_MESSAGE);
	writes(&bench, "cannot open dir/data.db\n");
	expect(&bench, place, EVIDENCE_OBJECT);
	expect(&bench, other, EVIDENCE_NONE);
	done(&bench);
}

/* Adds the failure of a command that succeeds to the set to compare with. */
static void survives(struct bench *bench, struct failure_set *set, const char *name,
		     const char *about, int error)
{
	failure_set_add(set, name, error, about);
	bench->failures.evidences.shared = set;
}

static void a_failure_shared_with_a_successful_run_does_not_matter(void **state)
{
	struct bench bench = { 0 };
	struct failure_set set = { 0 };
	size_t cause, optional;

	survives(&bench, &set, "openat", "optional", ENOENT);
	cause = fails(&bench, "openat", "input", EACCES);
	optional = fails(&bench, "openat", "optional", ENOENT);
	/* Without the comparison, it would be the last one. */
	writes(&bench, "giving up\n");
	exits(&bench, 1);
	expect(&bench, optional, EVIDENCE_SHARED);
	expect(&bench, cause, EVIDENCE_MESSAGE);
	assert_true(bench.room[optional].evidence.shared && !bench.room[cause].evidence.shared);
	done(&bench);
	failure_set_done(&set);
}

static void shared_failures_have_equal_call_error_and_object(void **state)
{
	char by_pid[] = "kill(77, SIGTERM)", by_pointer[] = "wait4(-1, 0x7ffc0, 0, NULL)";
	struct bench bench = { 0 };
	struct failure_set set = { 0 };

	survives(&bench, &set, "openat", "file", ENOENT);
	survives(&bench, &set, "kill", by_pid, ESRCH);
	expect(&bench, fails(&bench, "openat", "file", ENOENT), EVIDENCE_SHARED);
	expect(&bench, fails(&bench, "access", "file", ENOENT), EVIDENCE_NONE);
	expect(&bench, fails(&bench, "openat", "file", EACCES), EVIDENCE_NONE);
	expect(&bench, fails(&bench, "openat", "dir/file", ENOENT), EVIDENCE_NONE);
	expect(&bench, fails(&bench, "openat", NULL, ENOENT), EVIDENCE_NONE);
	/* Without an object, all arguments count. */
	expect(&bench, fails(&bench, "kill", NULL, ESRCH), EVIDENCE_NONE);
	bench.text = by_pid;
	expect(&bench, fails(&bench, "kill", NULL, ESRCH), EVIDENCE_SHARED);
	bench.text = by_pointer;
	survives(&bench, &set, "wait4", by_pointer, ECHILD);
	expect(&bench, fails(&bench, "wait4", NULL, ECHILD), EVIDENCE_NONE);
	done(&bench);
	failure_set_done(&set);
}

static void messages_outweigh_the_comparison(void **state)
{
	struct bench bench = { 0 };
	struct failure_set set = { 0 };
	size_t place;

	survives(&bench, &set, "openat", "data", ENOENT);
	place = fails(&bench, "openat", "data", ENOENT);
	writes(&bench, "No such file or directory\n");
	writes(&bench, "cannot read 'data'\n");
	expect(&bench, place, EVIDENCE_SHARED);
	writes(&bench, "data: No such file or directory\n");
	expect(&bench, place, EVIDENCE_BOTH);
	assert_true(bench.room[place].evidence.shared);
	done(&bench);
	failure_set_done(&set);
}

/* The object is unknown, so only the text of the error counts. */
static void the_error_text_suffices_if_the_object_is_unknown(void **state)
{
	char text[] = "setuid(0)";
	struct bench bench = { .text = text };
	struct failure_set set = { 0 };
	size_t place;

	survives(&bench, &set, "setuid", text, EPERM);
	place = fails(&bench, "setuid", NULL, EPERM);
	expect(&bench, place, EVIDENCE_SHARED);
	writes(&bench, "Operation not permitted\n");
	expect(&bench, place, EVIDENCE_ERROR);
	done(&bench);
	failure_set_done(&set);
}

static void gets_signal(struct bench *bench, int32_t pid, int32_t number, int32_t code,
			uint64_t missed)
{
	struct fathom_event event = { .time = bench->time += 10, .pid = pid, .missed = missed };
	struct decoded_event decoded = { .kind = DECODED_SIGNAL_SENT, .event = &event };

	decoded.signal.number = number;
	decoded.signal.pid = 7;
	decoded.signal.code = code;
	decoded.signal.has_code = true;
	evidences_feed(&bench->failures.evidences, &decoded);
}

static void knows_the_page_of_a_signal(void **state)
{
	struct bench bench = { 0 };
	struct evidence_page page;

	touches(&bench, "page_fault_user", 0x1000);
	touches(&bench, "page_fault_user", 0x10);
	touches(&bench, "page_fault_kernel", 0x2000);
	assert_int_equal(evidences_fault(&bench.failures.evidences, 7, &page), FAULT_UNKNOWN);
	gets_signal(&bench, 7, SIGSEGV, SEGV_MAPERR, 0);
	if (succeeds(evidences_fault(&bench.failures.evidences, 7, &page) == FAULT_PAGE))
		assert_int_equal(page.address, 0x10);
	assert_int_equal(evidences_fault(&bench.failures.evidences, 8, &page), FAULT_UNKNOWN);
	done(&bench);
}

static void knows_the_access_to_the_page(void **state)
{
	static const struct {
		uint64_t error;
		enum evidence_access access;
	} cases[] = {
		{ 0x4, ACCESS_READ },
		{ 0x5, ACCESS_READ },
		{ 0x6, ACCESS_WRITE },
		{ 0x7, ACCESS_WRITE },
		{ 0x15, ACCESS_EXECUTE },
		{ 0, ACCESS_UNKNOWN },
		/* From RISC-V. */
		{ 0xd, ACCESS_UNKNOWN },
		{ 0xf, ACCESS_UNKNOWN },
		{ 0xc, ACCESS_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench = { 0 };
		struct evidence_page page;

		touches_so(&bench, "page_fault_user", 0x1000, cases[i].error);
		gets_signal(&bench, 7, SIGSEGV, SEGV_ACCERR, 0);
		if (succeeds(evidences_fault(&bench.failures.evidences, 7, &page) == FAULT_PAGE)) {
			assert_int_equal(page.access, cases[i].access);
			assert_int_equal(page.signal, SIGSEGV);
			assert_int_equal(page.code, SEGV_ACCERR);
		}
		done(&bench);
	}
}

static void happens(struct bench *bench, enum decoded_kind kind, int32_t pid, int32_t number)
{
	struct fathom_event event = { .time = bench->time += 10, .pid = pid };
	struct decoded_event decoded = { .kind = kind, .event = &event };

	decoded.signal.number = number;
	evidences_feed(&bench->failures.evidences, &decoded);
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
		.time = bench->time += 10, .pid = pid, .data = record, .size = sizeof(record)
	};
	struct event_entry entry = { 0 };
	struct decoded_event decoded = { .kind = DECODED_USER_STACK,
					 .event = &event,
					 .entry = &entry };
	struct arena arena = { 0 };
	struct event_format *format;

	require(event_format_parse(text, strlen(text), "ftrace", abi, &arena, &format, NULL) == 0);
	entry.format = format;
	decoded.sample.stack = event_field_find(format, "caller");
	evidences_feed(&bench->failures.evidences, &decoded);
	arena_done(&arena);
}

static void expect_place(const struct bench *bench, int32_t number, uint64_t address)
{
	const struct user_stack *stack = evidences_stack(&bench->failures.evidences, 7, number);

	if (address && stack)
		assert_int_equal(stack->frames[0], address);
	else
		assert_true(!address && !stack);
}

static void knows_the_stack_of_a_signal(void **state)
{
	struct bench bench = { 0 };

	has_stack(&bench, 7, 0x10);
	gets_signal(&bench, 7, SIGSEGV, SEGV_MAPERR, 0);
	expect_place(&bench, SIGSEGV, 0);
	/* The record of the stack may precede that of the delivery. */
	has_stack(&bench, 9, 0x20);
	has_stack(&bench, 7, 0x30);
	happens(&bench, DECODED_SIGNAL, 7, SIGSEGV);
	has_stack(&bench, 7, 0x40);
	expect_place(&bench, SIGSEGV, 0x30);
	expect_place(&bench, SIGABRT, 0);
	done(&bench);
}

static void a_signal_from_another_process_has_the_stack_of_its_delivery(void **state)
{
	struct bench bench = { 0 };

	gets_signal(&bench, 8, SIGABRT, SI_USER, 0);
	has_stack(&bench, 7, 0x10);
	happens(&bench, DECODED_SIGNAL, 7, SIGABRT);
	has_stack(&bench, 7, 0x20);
	expect_place(&bench, SIGABRT, 0x20);
	done(&bench);
}

/* A handler continued. */
static void a_later_stack_does_not_belong_to_the_signal(void **state)
{
	struct bench bench = { 0 };
	static struct event_format format = { .system = "syscalls", .name = "sys_enter_read" };
	struct event_entry entry = { .format = &format };
	struct fathom_event event = { .time = 100, .pid = 7 };
	struct decoded_event call = { .kind = DECODED_SYSCALL_ENTRY,
				      .entry = &entry,
				      .event = &event };

	gets_signal(&bench, 7, SIGSEGV, SEGV_MAPERR, 0);
	happens(&bench, DECODED_SIGNAL, 7, SIGSEGV);
	evidences_feed(&bench.failures.evidences, &call);
	has_stack(&bench, 7, 0x10);
	expect_place(&bench, SIGSEGV, 0);
	done(&bench);
}

/* Earlier accesses are unrelated to these signals. */
static void the_page_of_a_signal_is_not_guessed(void **state)
{
	static const struct {
		int32_t pid, number, code;
		uint64_t missed;
	} others[] = { { 7, SIGSEGV, SI_KERNEL, 0 },
		       { 7, SIGBUS, BUS_ADRALN, 0 },
		       { 7, SIGSEGV, SI_USER, 0 },
		       { 8, SIGSEGV, SEGV_MAPERR, 0 },
		       { 7, SIGSEGV, SEGV_MAPERR, 3 } };
	struct evidence_page page;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct bench bench = { 0 };

		touches(&bench, "page_fault_user", 0x1000);
		gets_signal(&bench, others[i].pid, others[i].number, others[i].code,
			    others[i].missed);
		assert_int_not_equal(evidences_fault(&bench.failures.evidences, 7, &page),
				     FAULT_PAGE);
		done(&bench);
	}
}

static void only_x86_has_general_protection_faults(void **state)
{
	static const struct {
		const char *uname;
		int32_t number, code;
		enum evidence_fault expected;
	} cases[] = { { "Linux a 6.1 x86_64", SIGSEGV, SI_KERNEL, FAULT_GENERAL },
		      { "Linux a 6.1 i686", SIGSEGV, SI_KERNEL, FAULT_GENERAL },
		      { "Linux a 6.1 x86_64", SIGSEGV, SI_USER, FAULT_UNKNOWN },
		      { "Linux a 6.1 x86_64", SIGBUS, SI_KERNEL, FAULT_UNKNOWN },
		      { "Linux a 6.1 aarch64", SIGSEGV, SI_KERNEL, FAULT_UNKNOWN },
		      { "Linux a 6.1 riscv64", SIGSEGV, SI_KERNEL, FAULT_UNKNOWN },
		      { NULL, SIGSEGV, SI_KERNEL, FAULT_UNKNOWN } };
	struct evidence_page page;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench = { 0 };

		bench.failures.evidences.machine = value_machine_of(cases[i].uname);
		gets_signal(&bench, 7, cases[i].number, cases[i].code, 0);
		assert_int_equal(evidences_fault(&bench.failures.evidences, 7, &page),
				 cases[i].expected);
		done(&bench);
	}
}

static int collect(void *arg)
{
	struct bench bench = { 0 };
	int r;

	fails(&bench, "openat", "/tmp/a-file", ENOENT);
	succeeds_with(&bench, "openat", "/tmp/other");
	writes(&bench, "cat: a-file: No such file or directory\nusage: cat");
	exits(&bench, 1);
	r = evidences_finish(&bench.failures.evidences, bench.room, bench.failures.n);
	done(&bench);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(collect, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_found_elsewhere_does_not_matter),
		cmocka_unit_test(a_refused_request_may_succeed_in_another_way),
		cmocka_unit_test(rules_define_expected_failures),
		cmocka_unit_test(a_message_with_error_and_file_is_evidence),
		cmocka_unit_test(keeps_first_and_last_line_without_evidence),
		cmocka_unit_test(partial_names_do_not_match),
		cmocka_unit_test(other_messages_must_follow_the_failure_directly),
		cmocka_unit_test(a_program_that_continues_has_not_failed),
		cmocka_unit_test(the_last_failure_explains_an_error_exit),
		cmocka_unit_test(a_fallback_is_not_the_cause),
		cmocka_unit_test(a_failure_shared_with_a_successful_run_does_not_matter),
		cmocka_unit_test(shared_failures_have_equal_call_error_and_object),
		cmocka_unit_test(messages_outweigh_the_comparison),
		cmocka_unit_test(the_error_text_suffices_if_the_object_is_unknown),
		cmocka_unit_test(knows_the_page_of_a_signal),
		cmocka_unit_test(the_page_of_a_signal_is_not_guessed),
		cmocka_unit_test(only_x86_has_general_protection_faults),
		cmocka_unit_test(knows_the_access_to_the_page),
		cmocka_unit_test(knows_the_stack_of_a_signal),
		cmocka_unit_test(a_signal_from_another_process_has_the_stack_of_its_delivery),
		cmocka_unit_test(a_later_stack_does_not_belong_to_the_signal),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
