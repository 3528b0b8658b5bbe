/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/event/perf-records.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "format/bytes.h"
#include "test.h"

/* A record under construction. */
struct bytes {
	uint8_t b[256];
	size_t n;
	bool big;
};

static void put32(struct bytes *to, uint32_t v)
{
	store_u32(to->b + to->n, v, to->big);
	to->n += 4;
}

static void put64(struct bytes *to, uint64_t v)
{
	store_u64(to->b + to->n, v, to->big);
	to->n += 8;
}

static void begin(struct bytes *to, uint32_t type, uint16_t misc)
{
	put32(to, type);
	store_u16(to->b + to->n, misc, to->big);
	to->n += 4;
}

/* Stores the size in the header. */
static void end(struct bytes *to)
{
	store_u16(to->b + 6, (uint16_t)to->n, to->big);
}

static void put_name(struct bytes *to, const char *name)
{
	size_t room = (strlen(name) / 8 + 1) * 8;

	memset(to->b + to->n, 0, room);
	memcpy(to->b + to->n, name, strlen(name));
	to->n += room;
}

static const struct perf_layout layout = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							  PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
							  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
					   .id_all = true };

static void put_trailer(struct bytes *to)
{
	put32(to, 70);
	put32(to, 71);
	put64(to, 1234567);
	put32(to, 5);
	put32(to, 0);
}

static void make_sample(struct bytes *to)
{
	begin(to, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(to, 0x401234);
	put32(to, 100);
	put32(to, 101);
	put64(to, 987654321);
	put32(to, 3);
	put32(to, 0);
	put64(to, 3);
	put64(to, (uint64_t)PERF_CONTEXT_USER);
	put64(to, 0x401234);
	put64(to, 0x401000);
	put32(to, 12);
	put64(to, 0x1122334455667788);
	put32(to, 9);
	end(to);
}

static void check_sample(bool big)
{
	struct perf_layout l = layout;
	struct bytes bytes = { .big = big };
	struct perf_record record;

	l.big = big;
	make_sample(&bytes);
	assert_int_equal(perf_record_parse(&l, bytes.b, bytes.n, &record), (int)bytes.n);
	assert_int_equal(record.kind, PERF_SAMPLE);
	assert_int_equal(record.misc, PERF_RECORD_MISC_USER);
	assert_int_equal(record.ip, 0x401234);
	assert_int_equal(record.pid, 100);
	assert_int_equal(record.tid, 101);
	assert_int_equal(record.time, 987654321);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(record.n_chain, 3);
	assert_int_equal(perf_record_frame(&l, &record, 2), 0x401000);
	assert_int_equal(record.raw_size, 12);
	assert_int_equal(load_u64(record.raw, big), 0x1122334455667788);
}

/* Registers and a partly filled copy of the stack. */
static void make_copy(struct bytes *to, uint64_t abi, uint64_t room, uint64_t filled)
{
	begin(to, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(to, 0x401234);
	put64(to, abi);
	for (uint64_t i = 0; abi && i < 3; i++)
		put64(to, 0x7000 + i);
	put64(to, room);
	for (uint64_t i = 0; i < room / 8; i++)
		put64(to, 0x9000 + i);
	if (room)
		put64(to, filled);
	end(to);
}

static void check_copy(bool big)
{
	const struct perf_layout l = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER |
						      PERF_SAMPLE_STACK_USER,
				       .n_regs = 3,
				       .big = big };
	struct bytes bytes = { .big = big }, none = { .big = big }, more = { .big = big };
	struct perf_record record;

	make_copy(&bytes, PERF_SAMPLE_REGS_ABI_64, 64, 24);
	assert_int_equal(perf_record_parse(&l, bytes.b, bytes.n, &record), (int)bytes.n);
	assert_int_equal(record.regs_abi, PERF_SAMPLE_REGS_ABI_64);
	assert_int_equal(perf_record_reg(&l, &record, 2), 0x7002);
	assert_int_equal(record.stack_size, 24);
	assert_int_equal(load_u64(record.stack + 16, big), 0x9002);
	/* A sample of a kernel thread has neither. */
	make_copy(&none, PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_int_equal(perf_record_parse(&l, none.b, none.n, &record), (int)none.n);
	assert_int_equal(record.regs_abi, 0);
	assert_null(record.stack);
	/* More than there is room for, and truncated anywhere. */
	make_copy(&more, PERF_SAMPLE_REGS_ABI_64, 32, 1ULL << 40);
	assert_true(perf_record_parse(&l, more.b, more.n, &record) > 0);
	assert_int_equal(record.stack_size, 32);
	for (size_t n = 8; n < bytes.n; n += 8) {
		store_u16(bytes.b + 6, (uint16_t)n, big);
		assert_int_equal(perf_record_parse(&l, bytes.b, n, &record), -EINVAL);
	}
}

static void test_copy(void **state)
{
	check_copy(false);
	check_copy(true);
}

static void test_sample(void **state)
{
	check_sample(false);
	check_sample(true);
}

/* A truncated record is incomplete; one that claims more than its size is invalid. */
static void test_short(void **state)
{
	struct bytes bytes = { 0 };
	struct perf_record record;

	make_sample(&bytes);
	for (size_t n = 0; n < bytes.n; n++)
		assert_int_equal(perf_record_parse(&layout, bytes.b, n, &record), 0);
	for (size_t n = 8; n < bytes.n; n++) {
		store_u16(bytes.b + 6, (uint16_t)n, false);
		assert_int_equal(perf_record_parse(&layout, bytes.b, bytes.n, &record), -EINVAL);
	}
	store_u16(bytes.b + 6, 7, false);
	assert_int_equal(perf_record_parse(&layout, bytes.b, bytes.n, &record), -EINVAL);
	/* A chain with more frames than there are bytes. */
	store_u16(bytes.b + 6, (uint16_t)bytes.n, false);
	store_u64(bytes.b + 40, UINT64_MAX / 8 + 2, false);
	assert_int_equal(perf_record_parse(&layout, bytes.b, bytes.n, &record), -EINVAL);
}

static void test_tasks(void **state)
{
	struct bytes bytes = { 0 };
	struct perf_record record;

	begin(&bytes, PERF_RECORD_FORK, 0);
	put32(&bytes, 200);
	put32(&bytes, 100);
	put32(&bytes, 201);
	put32(&bytes, 101);
	put64(&bytes, 1);
	put_trailer(&bytes);
	end(&bytes);
	assert_int_equal(perf_record_parse(&layout, bytes.b, bytes.n, &record), (int)bytes.n);
	assert_int_equal(record.kind, PERF_FORK);
	assert_int_equal(record.pid, 200);
	assert_int_equal(record.tid, 201);
	assert_int_equal(record.parent_pid, 100);
	assert_int_equal(record.parent_tid, 101);
	assert_int_equal(record.time, 1234567);

	bytes = (struct bytes){ 0 };
	begin(&bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(&bytes, 200);
	put32(&bytes, 201);
	put_name(&bytes, "a program");
	put_trailer(&bytes);
	end(&bytes);
	assert_int_equal(perf_record_parse(&layout, bytes.b, bytes.n, &record), (int)bytes.n);
	assert_int_equal(record.kind, PERF_COMM);
	assert_true(record.is_exec);
	assert_int_equal(record.pid, 200);
	assert_int_equal(record.cpu, 5);
	assert_string_equal(record.name, "a program");
	/* The name must end before the trailer. */
	memset(bytes.b + 16, 'x', 16);
	assert_int_equal(perf_record_parse(&layout, bytes.b, bytes.n, &record), -EINVAL);
}

static void test_mapping(void **state)
{
	struct bytes bytes = { 0 };
	struct perf_record record;

	begin(&bytes, PERF_RECORD_MMAP2, 0);
	put32(&bytes, 200);
	put32(&bytes, 201);
	put64(&bytes, 0x7f0000000000);
	put64(&bytes, 0x1000);
	put64(&bytes, 0x2000);
	for (int i = 0; i < 3; i++)
		put64(&bytes, 0);
	put32(&bytes, 5);
	put32(&bytes, 2);
	put_name(&bytes, "/lib/libc.so");
	put_trailer(&bytes);
	end(&bytes);
	assert_int_equal(perf_record_parse(&layout, bytes.b, bytes.n, &record), (int)bytes.n);
	assert_int_equal(record.kind, PERF_MAPPING);
	assert_int_equal(record.start, 0x7f0000000000);
	assert_int_equal(record.length, 0x1000);
	assert_int_equal(record.offset, 0x2000);
	assert_true(record.executable);
	assert_string_equal(record.name, "/lib/libc.so");
}

static void test_others(void **state)
{
	struct perf_layout l = layout;
	struct bytes bytes = { 0 };
	struct perf_record record;

	begin(&bytes, PERF_RECORD_LOST, 0);
	put64(&bytes, 1);
	put64(&bytes, 42);
	put_trailer(&bytes);
	end(&bytes);
	assert_int_equal(perf_record_parse(&l, bytes.b, bytes.n, &record), (int)bytes.n);
	assert_int_equal(record.kind, PERF_LOST);
	assert_int_equal(record.lost, 42);
	/* Unknown kinds are skipped. */
	store_u32(bytes.b, 4711, false);
	assert_int_equal(perf_record_parse(&l, bytes.b, bytes.n, &record), (int)bytes.n);
	assert_int_equal(record.kind, PERF_OTHER);
	/* A layout with unknown parts. */
	l.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	assert_false(perf_layout_is_known(&l));
	assert_int_equal(perf_record_parse(&l, bytes.b, bytes.n, &record), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),	cmocka_unit_test(test_copy),
		cmocka_unit_test(test_short),	cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_mapping), cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
