/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/block-ring.h"

static void keeps_data_until_dropped(void **state)
{
	struct block_ring ring;
	uint64_t added = 0;

	assert_return_code(block_ring_init(&ring, 8, 3), 0);
	assert_null(block_ring_get(&ring, 0));
	for (unsigned round = 0; round < 10; round++) {
		for (uint8_t *room; (room = block_ring_room(&ring)); added++) {
			memset(room, (int)added, 8);
			block_ring_add(&ring);
		}
		assert_int_equal(ring.end - ring.first, 3);
		for (uint64_t i = ring.first; i < ring.end; i++)
			assert_int_equal(block_ring_get(&ring, i)[7], i);
		assert_null(block_ring_get(&ring, ring.end));
		block_ring_drop(&ring, ring.first + round % 3 + 1);
		assert_null(block_ring_get(&ring, ring.first - 1));
	}
	/* Blocks that do not exist yet can be neither dropped nor returned. */
	block_ring_drop(&ring, UINT64_MAX);
	assert_int_equal(ring.first, added);
	block_ring_drop(&ring, 0);
	assert_int_equal(ring.first, added);
	block_ring_done(&ring);
}

static void never_reads_beyond_the_data(void **state)
{
	struct block_ring ring;

	assert_int_equal(block_ring_init(&ring, SIZE_MAX / 2, 4), -ENOMEM);
	block_ring_done(&ring);
}

static int init_op(void *arg)
{
	struct block_ring ring;
	int r = block_ring_init(&ring, 16, 4);

	block_ring_done(&ring);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(init_op, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_data_until_dropped),
		cmocka_unit_test(never_reads_beyond_the_data),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
