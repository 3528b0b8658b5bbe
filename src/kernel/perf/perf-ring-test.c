/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with a ring in a memory file, written as the kernel does. */
#include "kernel/perf/perf-ring.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "test.h"

struct ring_file {
	int fd;
	size_t page, size;
	struct perf_ring ring;
};

static int set_up(void **state)
{
	static struct ring_file file;

	file.page = file.size = (size_t)sysconf(_SC_PAGESIZE);
	file.fd = memfd_create("ring", MFD_CLOEXEC);
	if (file.fd < 0 || ftruncate(file.fd, (off_t)(file.page + file.size)) < 0)
		return -1;
	*state = &file;
	return perf_ring_init(&file.ring, file.fd, 1);
}

static int tear_down(void **state)
{
	struct ring_file *file = *state;

	perf_ring_done(&file->ring);
	close(file->fd);
	return 0;
}

/* Writes a record of @size bytes filled with @fill at the head of the ring. */
static void put(const struct ring_file *file, uint16_t size, uint8_t fill)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
	uint8_t *data = (uint8_t *)file->ring.head + file->page, bytes[4096];
	uint64_t at = file->ring.head->data_head;

	memset(bytes, fill, sizeof(bytes));
	memcpy(bytes, &header, sizeof(header));
	for (size_t i = 0; i < size; i++)
		data[(at + i) % file->size] = bytes[i];
	file->ring.head->data_head = at + size;
}

static void test_records(void **state)
{
	struct ring_file *file = *state;
	const uint8_t *record;

	assert_int_equal(perf_ring_next(&file->ring, &record), 0);
	/* Often enough for some records to wrap around. */
	for (unsigned i = 0; i < 1000; i++) {
		uint16_t size = (uint16_t)(8 * (1 + i % 97));

		put(file, size, (uint8_t)i);
		put(file, 16, (uint8_t)(i + 1));
		assert_int_equal(perf_ring_next(&file->ring, &record), size);
		for (uint16_t k = 8; k < size; k++)
			assert_int_equal(record[k], (uint8_t)i);
		assert_int_equal(perf_ring_next(&file->ring, &record), 16);
		assert_int_equal(record[15], (uint8_t)(i + 1));
		assert_int_equal(perf_ring_next(&file->ring, &record), 0);
		perf_ring_release(&file->ring);
		assert_int_equal(file->ring.head->data_tail, file->ring.head->data_head);
	}
}

/* Impossible sizes. */
static void test_invalid_records(void **state)
{
	struct ring_file *file = *state;
	uint8_t *data = (uint8_t *)file->ring.head + file->page;
	const uint8_t *record;

	put(file, 16, 1);
	data[file->ring.at % file->size + 6] = 4;
	assert_int_equal(perf_ring_next(&file->ring, &record), 0);
	data[file->ring.at % file->size + 6] = 24;
	assert_int_equal(perf_ring_next(&file->ring, &record), 0);
	file->ring.head->data_head += file->size;
	assert_int_equal(perf_ring_next(&file->ring, &record), 0);
}

static int oom_ring(void *arg)
{
	struct perf_ring ring;
	int r = perf_ring_init(&ring, ((struct ring_file *)arg)->fd, 1);

	if (r == 0)
		perf_ring_done(&ring);
	return r;
}

static void test_memory(void **state)
{
	oom_check(oom_ring, *state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_invalid_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
