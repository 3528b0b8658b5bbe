/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/syscalls/urings.h"

enum {
	NOP = 0,
	CONNECT = 16,
	OPENAT = 18,
	NEWER = 250,
};

static void give(struct urings *urings, enum decoded_kind kind, int32_t pid, uint64_t ring,
		 uint64_t request, uint64_t data, uint8_t operation)
{
	struct fathom_event event = { .pid = pid };
	struct decoded_event decoded = { .kind = kind, .event = &event };

	decoded.uring.ring = ring;
	decoded.uring.request = request;
	decoded.uring.data = data;
	decoded.uring.operation = operation;
	urings_feed(urings, &decoded);
}

static void looks_for(struct urings *urings, int32_t pid, const char *path)
{
	struct fathom_event event = { .pid = pid };
	struct decoded_event decoded = { .kind = DECODED_PATH, .event = &event };

	decoded.path.text = path;
	decoded.path.len = strlen(path);
	urings_feed(urings, &decoded);
}

/* A kernel thread executed it. */
static bool completes(struct urings *urings, uint64_t ring, uint64_t request, uint64_t data,
		      struct uring_request *ret)
{
	struct fathom_event event = { .pid = 99 };
	struct decoded_event decoded = { .kind = DECODED_URING_COMPLETE, .event = &event };

	decoded.uring.ring = ring;
	decoded.uring.request = request;
	decoded.uring.data = data;
	decoded.uring.result = -ENOENT;
	return urings_complete(urings, &decoded, ret);
}

static void a_request_belongs_to_its_submitter(void **state)
{
	struct urings urings = { 0 };
	struct uring_request request;

	require_memory();
	give(&urings, DECODED_URING, 7, 0x1000, 0, 0, 0);
	give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, 0xa0, 5, NOP);
	give(&urings, DECODED_URING_SUBMIT, 8, 0x1000, 0xa1, 5, OPENAT);
	looks_for(&urings, 8, "nofile");
	looks_for(&urings, 8, "another");
	looks_for(&urings, 9, "foreign");
	assert_true(completes(&urings, 0x1000, 0xa1, 5, &request));
	assert_string_equal(request.name, "io_uring:openat");
	assert_string_equal(request.path, "nofile");
	assert_int_equal(request.pid, 8);
	assert_int_equal(request.number, 2);
	assert_true(completes(&urings, 0x1000, 0xa0, 5, &request));
	assert_string_equal(request.name, "io_uring:nop");
	assert_null(request.path);
	assert_int_equal(request.number, 1);
	urings_done(&urings);
}

static void other_rings_are_unknown(void **state)
{
	struct urings urings = { 0 };
	struct uring_request request;

	require_memory();
	give(&urings, DECODED_URING, 7, 0x1000, 0, 0, 0);
	assert_false(completes(&urings, 0x2000, 0xa0, 5, &request));
	/* A ring that predates the recording. */
	give(&urings, DECODED_URING_SUBMIT, 7, 0x3000, 0xb0, 6, CONNECT);
	assert_true(completes(&urings, 0x3000, 0xb0, 6, &request));
	assert_string_equal(request.name, "io_uring:connect");
	assert_int_equal(request.number, 0);
	assert_int_equal(request.pid, 7);
	urings_done(&urings);
}

static void a_kernel_thread_may_take_requests(void **state)
{
	struct urings urings = { 0 };
	struct uring_request request;
	struct fathom_event event = { .pid = 50 };
	struct decoded_event decoded = { .kind = DECODED_URING_SUBMIT, .event = &event };

	require_memory();
	decoded.uring.ring = 0x1000;
	decoded.uring.request = 0xa0;
	decoded.uring.operation = OPENAT;
	decoded.uring.is_polled = true;
	/* The owner of the ring is unknown. */
	urings_feed(&urings, &decoded);
	assert_false(completes(&urings, 0x1000, 0xa0, 0, &request));
	give(&urings, DECODED_URING, 7, 0x1000, 0, 0, 0);
	urings_feed(&urings, &decoded);
	assert_true(completes(&urings, 0x1000, 0xa0, 0, &request));
	assert_string_equal(request.name, "io_uring:openat");
	assert_int_equal(request.pid, 7);
	urings_done(&urings);
}

/* Completions of old kernels don't have the address of the request. */
static void user_data_may_be_ambiguous(void **state)
{
	struct urings urings = { 0 };
	struct uring_request request;

	require_memory();
	give(&urings, DECODED_URING, 7, 0x1000, 0, 0, 0);
	give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, 0xa0, 5, OPENAT);
	assert_true(completes(&urings, 0x1000, 0, 5, &request));
	assert_string_equal(request.name, "io_uring:openat");
	/* That one has ended. */
	give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, 0xa0, 5, CONNECT);
	assert_int_equal(completes(&urings, 0x1000, 0, 5, &request), true);
	assert_string_equal(request.name, "io_uring:connect");
	/* Two at once. */
	give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, 0xa1, 5, OPENAT);
	looks_for(&urings, 7, "first");
	give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, 0xa2, 5, CONNECT);
	assert_true(completes(&urings, 0x1000, 0, 5, &request));
	assert_string_equal(request.name, "io_uring");
	assert_null(request.path);
	assert_int_equal(request.number, 0);
	urings_done(&urings);
}

static void unknown_operations_are_requests(void **state)
{
	struct urings urings = { 0 };
	struct uring_request request;

	require_memory();
	give(&urings, DECODED_URING, 7, 0x1000, 0, 0, 0);
	assert_true(completes(&urings, 0x1000, 0xa0, 5, &request));
	assert_string_equal(request.name, "io_uring");
	assert_int_equal(request.pid, 7);
	give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, 0xa0, 5, NEWER);
	assert_true(completes(&urings, 0x1000, 0xa0, 5, &request));
	assert_string_equal(request.name, "io_uring");
	assert_int_equal(request.number, 1);
	urings_done(&urings);
}

static void memory_is_bounded(void **state)
{
	struct urings urings = { 0 };
	struct uring_request request;

	require_memory();
	give(&urings, DECODED_URING, 7, 0x1000, 0, 0, 0);
	for (uint64_t i = 1; i <= 100000; i++)
		give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, i << 8, i, OPENAT);
	assert_true(completes(&urings, 0x1000, 100000 << 8, 100000, &request));
	assert_int_equal(request.number, 100000);
	assert_true(completes(&urings, 0x1000, 1 << 8, 1, &request));
	assert_string_equal(request.name, "io_uring");
	urings_done(&urings);
}

static int collect(void *arg)
{
	struct urings urings = { 0 };
	int r;

	give(&urings, DECODED_URING, 7, 0x1000, 0, 0, 0);
	give(&urings, DECODED_URING_SUBMIT, 7, 0x1000, 0xa0, 5, OPENAT);
	looks_for(&urings, 7, "nofile");
	r = urings.nomem ? -ENOMEM : 0;
	urings_done(&urings);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(collect, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_belongs_to_its_submitter),
		cmocka_unit_test(other_rings_are_unknown),
		cmocka_unit_test(a_kernel_thread_may_take_requests),
		cmocka_unit_test(user_data_may_be_ambiguous),
		cmocka_unit_test(unknown_operations_are_requests),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
