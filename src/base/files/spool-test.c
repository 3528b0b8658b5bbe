/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/files/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include "test.h"

/* The i-th number written to a stream. */
static uint64_t number_of(uint32_t stream, uint64_t i)
{
	return (uint64_t)stream << 32 | i;
}

static int write_all(struct spool *spool, uint32_t streams, uint64_t numbers)
{
	for (uint32_t s = 0; s < streams; s++)
		if (spool_add(spool) != s)
			return -ENOMEM;
	/* One of them stays empty. */
	for (uint64_t i = 0; i < numbers; i++)
		for (uint32_t s = 1; s < streams; s++) {
			uint64_t number = number_of(s, i);

			/* With odd lengths, so that they cross block boundaries. */
			spool_write(spool, s, &number, 3);
			spool_write(spool, s, (uint8_t *)&number + 3, 5);
		}
	return spool->err;
}

static void read_all(struct spool *spool, uint32_t streams, uint64_t numbers)
{
	for (uint32_t s = 0; s < streams; s++) {
		struct spool_reader reader = { .stream = s };
		uint64_t number, i = 0;

		for (; spool_read(spool, &reader, &number, sizeof(number)); i++)
			assert_int_equal(number, number_of(s, i));
		assert_int_equal(i, s ? numbers : 0);
	}
	assert_int_equal(spool->err, 0);
}

struct size {
	uint32_t streams;
	uint64_t numbers;
	size_t buffers;
};

static int round_trip(void *arg)
{
	const struct size *size = arg;
	struct spool spool = SPOOL_NONE;
	int r = spool_open(&spool, NULL);

	if (size->buffers)
		spool.max_buffers = size->buffers;
	if (r == 0)
		r = write_all(&spool, size->streams, size->numbers);
	/* Streams can be read repeatedly. */
	for (int i = 0; i < 2 && r == 0; i++)
		read_all(&spool, size->streams, size->numbers);
	spool_done(&spool);
	return r;
}

static void check(uint32_t streams, uint64_t numbers, size_t buffers)
{
	struct size size = { streams, numbers, buffers };
	int r = round_trip(&size);

	assert_true(r == 0 || r == -ENOMEM);
}

static void reads_back_written_data(void **state)
{
	check(0, 0, 0);
	check(2, 0, 0);
	check(3, 10, 0);
	/* Blocks that are filled to the last byte. */
	check(3, 10 * SPOOL_BLOCK / 8, 0);
	check(40, 2000, 0);
}

static void streams_share_the_buffers(void **state)
{
	check(20, 1000, 1);
	check(20, 1000, 7);
}

static void memory_is_bounded(void **state)
{
	struct spool spool = SPOOL_NONE;
	uint64_t number = 0;

	require(spool_open(&spool, NULL) >= 0);
	if (spool_add(&spool) == 0)
		for (size_t i = 0; i < 20000; i++)
			spool_write(&spool, 0, &number, sizeof(number));
	assert_true(spool.n_buffers <= 1);
	spool_done(&spool);
}

static void reports_a_full_disk(void **state)
{
	struct spool spool = SPOOL_NONE;
	uint8_t bytes[2 * SPOOL_BLOCK] = { 0 };

	require(spool_open(&spool, NULL) >= 0);
	close(spool.fd);
	spool.fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	if (succeeds(spool.fd >= 0 && spool_add(&spool) == 0)) {
		spool_write(&spool, 0, bytes, sizeof(bytes));
		assert_true(spool.err == -ENOSPC || spool.err == -ENOMEM);
		/* Has no effect any more. */
		spool_write(&spool, 0, bytes, sizeof(bytes));
	}
	spool_done(&spool);
}

static void survives_failing_allocations(void **state)
{
	struct size size = { 3, 1000 };

	oom_check(round_trip, &size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_back_written_data),
		cmocka_unit_test(streams_share_the_buffers),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(reports_a_full_disk),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
