/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <linux/perf_event.h>

#include "base/cleanup.h"
#include "kernel/process/process-events.h"

/* A record as the kernel writes it, followed by 16 bytes of IDs and time. */
struct record {
	struct perf_event_header header;
	unsigned char body[128];
};

static size_t make(struct record *record, unsigned type, unsigned misc, size_t size)
{
	uint64_t time = 777;

	*record = (struct record){ { type, (uint16_t)misc, (uint16_t)size }, { 0 } };
	memcpy((char *)record + 8, &(uint32_t){ 100 }, 4);
	memcpy((char *)record + 12, &(uint32_t){ 101 }, 4);
	memcpy((char *)record + size - 8, &time, 8);
	return size;
}

static void put_u64(struct record *record, size_t at, uint64_t value)
{
	memcpy((char *)record + at, &value, sizeof(value));
}

static void reads_mappings(void **state)
{
	struct process_event event;
	struct record record;
	size_t size = make(&record, PERF_RECORD_MMAP2, 0, 72 + 16 + 16);

	put_u64(&record, 16, 0x1000);
	put_u64(&record, 24, 0x2000);
	put_u64(&record, 32, 0x3000);
	put_u64(&record, 48, 4711);
	memcpy((char *)&record + 72, "/bin/app", 9);
	assert_true(process_event_parse(&record, size, &event));
	assert_int_equal(event.kind, PROCESS_MAPPED);
	assert_int_equal(event.pid, 100);
	assert_int_equal(event.time, 777);
	assert_int_equal(event.start, 0x1000);
	assert_int_equal(event.end, 0x3000);
	assert_int_equal(event.offset, 0x3000);
	assert_int_equal(event.inode, 4711);
	assert_int_equal(event.build_id_len, 0);
	assert_string_equal(event.path, "/bin/app");
	/* An unterminated name. */
	memset((char *)&record + 72, 'x', 16);
	assert_false(process_event_parse(&record, size, &event));
	/* With a build ID. */
	size = make(&record, PERF_RECORD_MMAP2, 1 << 14, 72 + 8 + 16);
	((unsigned char *)&record)[40] = 20;
	memset((char *)&record + 44, 0xab, 20);
	assert_true(process_event_parse(&record, size, &event));
	assert_int_equal(event.inode, 0);
	assert_int_equal(event.build_id_len, 20);
	assert_int_equal(event.build_id[19], 0xab);
	((unsigned char *)&record)[40] = 21;
	assert_false(process_event_parse(&record, size, &event));
}

static void reads_tasks(void **state)
{
	struct process_event event;
	struct record record;
	size_t size = make(&record, PERF_RECORD_FORK, 0, 32 + 16);

	memcpy((char *)&record + 12, &(uint32_t){ 99 }, 4);
	memcpy((char *)&record + 16, &(uint32_t){ 102 }, 4);
	put_u64(&record, 24, 555);
	assert_true(process_event_parse(&record, size, &event));
	assert_int_equal(event.kind, PROCESS_FORKED);
	assert_int_equal(event.pid, 100);
	assert_int_equal(event.parent, 99);
	assert_int_equal(event.tid, 102);
	assert_int_equal(event.time, 555);
	size = make(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 24 + 16);
	assert_true(process_event_parse(&record, size, &event));
	assert_int_equal(event.kind, PROCESS_EXEC);
	/* A new name, but not a new program. */
	size = make(&record, PERF_RECORD_COMM, 0, 24 + 16);
	assert_false(process_event_parse(&record, size, &event));
	size = make(&record, PERF_RECORD_LOST, 0, 24 + 16);
	put_u64(&record, 16, 12);
	assert_true(process_event_parse(&record, size, &event));
	assert_int_equal(event.lost, 12);
}

static void rejects_short_records(void **state)
{
	static const unsigned types[] = { PERF_RECORD_MMAP2, PERF_RECORD_FORK, PERF_RECORD_EXIT,
					  PERF_RECORD_LOST };
	struct process_event event;
	struct record record;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		size_t size = make(&record, types[i], 0, 32);

		assert_false(process_event_parse(&record, size, &event));
		assert_false(process_event_parse(&record, 8, &event));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_mappings),
		cmocka_unit_test(reads_tasks),
		cmocka_unit_test(rejects_short_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
