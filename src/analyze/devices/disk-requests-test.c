/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/devices/disk-requests.h"
#include "base/mem.h"

struct step {
	enum decoded_kind kind;
	uint64_t sector;
	uint32_t sectors;
};

static int feed(const struct step *steps, struct disk_requests *disk)
{
	for (; steps->kind; steps++) {
		struct fathom_event event = { .time = 100, .pid = 7 };
		struct decoded_event decoded = { .kind = steps->kind, .event = &event };

		decoded.block.device = 8U << 20;
		decoded.block.operation = 'W';
		decoded.block.sector = steps->sector;
		decoded.block.sectors = steps->sectors;
		decoded.block.bytes = steps->sectors * 512;
		disk_requests_feed(disk, &decoded);
	}
	return disk->nomem ? -ENOMEM : 0;
}

static void expect(const struct step *steps, uint64_t count, uint64_t bytes)
{
	struct disk_requests disk = { 0 };

	if (feed(steps, &disk) == 0) {
		assert_int_equal(disk.count, count);
		assert_int_equal(disk.bytes, bytes);
	} else {
		assert_true(mem_fault);
	}
	disk_requests_done(&disk);
}

static const struct step usual[] = {
	{ DECODED_BLOCK_INSERT, 0, 8 },
	{ DECODED_BLOCK_ISSUE, 0, 8 },
	/* This one is not queued. */
	{ DECODED_BLOCK_ISSUE, 100, 16 },
	{ DECODED_BLOCK_COMPLETE, 0, 8 },
	/* The device returns this one unfinished. */
	{ DECODED_BLOCK_INSERT, 200, 8 },
	{ DECODED_BLOCK_ISSUE, 200, 8 },
	{ DECODED_BLOCK_REQUEUE, 200, 8 },
	{ DECODED_BLOCK_INSERT, 200, 8 },
	{ DECODED_BLOCK_ISSUE, 200, 8 },
	{ 0 },
};

static void counts_each_request_once(void **state)
{
	expect(usual, 3, 32 * 512);
}

/* Issued by kernel threads, and queued again. */
static void counts_requests_that_were_only_queued(void **state)
{
	expect((struct step[]){ { DECODED_BLOCK_INSERT, 0, 8 },
				{ DECODED_BLOCK_INSERT, 8, 8 },
				{ DECODED_BLOCK_INSERT, 0, 8 },
				{ 0 } },
	       3, 24 * 512);
}

static void does_not_count_merged_requests(void **state)
{
	expect((struct step[]){ { DECODED_BLOCK_INSERT, 0, 8 },
				{ DECODED_BLOCK_INSERT, 8, 8 },
				{ DECODED_BLOCK_MERGE, 8, 8 },
				{ DECODED_BLOCK_ISSUE, 0, 16 },
				{ 0 } },
	       1, 16 * 512);
}

static int run_usual(void *arg)
{
	struct disk_requests disk = { 0 };
	int r = feed(usual, &disk);

	disk_requests_done(&disk);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(run_usual, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_each_request_once),
		cmocka_unit_test(counts_requests_that_were_only_queued),
		cmocka_unit_test(does_not_count_merged_requests),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
