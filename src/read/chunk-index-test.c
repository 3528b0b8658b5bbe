/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "format/bytes.h"
#include "read/chunk-index.h"

#define CHUNKS 1000

/*
 * Only the headers matter here: chunk i has i % 7 bytes in the file and 100 + i % 3 uncompressed.
 */
static int make_file(struct source *ret_source)
{
	static uint8_t bytes[4 + CHUNKS * 16];
	size_t len = 4;
	int fd = memfd_create("chunks", MFD_CLOEXEC);

	memset(bytes, 0, sizeof(bytes));
	store_u32(bytes, CHUNKS, false);
	for (uint32_t i = 0; i < CHUNKS; i++) {
		store_u32(bytes + len, i % 7, false);
		store_u32(bytes + len + 4, 100 + i % 3, false);
		len += 8 + i % 7;
	}
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		return -EIO;
	return source_init(ret_source, fd, SOURCE_NO_MAP, NULL);
}

static uint64_t raw_of(uint32_t number)
{
	uint64_t raw = 0;

	for (uint32_t i = 0; i < number; i++)
		raw += 100 + i % 3;
	return raw;
}

/* With few and many marks, in any order of lookups. */
static void finds_every_chunk(void **state)
{
	struct damage damage;
	struct source source;

	damage_init(&damage);
	assert_int_equal(make_file(&source), 0);
	for (size_t marks = 2; marks < 3000; marks *= 3) {
		struct chunk_index index;
		uint64_t size = 0;

		chunk_index_init(&index, 0, source.size, false, marks);
		for (uint32_t i = 0; i < CHUNKS; i++) {
			uint32_t number = i * 389 % CHUNKS;
			struct chunk chunk = { 0 };

			if (chunk_index_find(&index, &source, &damage, raw_of(number) + 99,
					     &chunk) != 1)
				break;
			assert_int_equal(chunk.number, number);
			assert_int_equal(chunk.size, 100 + number % 3);
			assert_true(chunk.raw == raw_of(number));
			assert_true(index.n_marks <= (marks < 2 ? 2 : marks));
		}
		if (succeeds(chunk_index_size(&index, &source, &damage, &size) == 0))
			assert_true(size == raw_of(CHUNKS));
		chunk_index_done(&index);
	}
	assert_true(damage.total == 0);
	source_done(&source);
	damage_done(&damage);
}

static void reads_in_sequence(void **state)
{
	struct chunk_index index;
	struct chunk chunk = { 0 };
	struct damage damage;
	struct source source;
	uint64_t raw = 0;
	uint32_t n = 0;

	damage_init(&damage);
	assert_int_equal(make_file(&source), 0);
	chunk_index_init(&index, 0, source.size, false, 4);
	while (chunk_index_find(&index, &source, &damage, raw, &chunk) == 1) {
		assert_int_equal(chunk.number, n++);
		raw = chunk.raw + chunk.size;
	}
	if (succeeds(index.complete))
		assert_int_equal(n, CHUNKS);
	chunk_index_done(&index);
	source_done(&source);
	damage_done(&damage);
}

static void reports_the_point_of_truncation(void **state)
{
	struct chunk_index index;
	struct damage damage;
	struct source source;
	uint64_t size;

	damage_init(&damage);
	assert_int_equal(make_file(&source), 0);
	chunk_index_init(&index, 0, source.size - 20, false, 100);
	if (succeeds(chunk_index_size(&index, &source, &damage, &size) == 0)) {
		assert_true(size < raw_of(CHUNKS) && size > raw_of(CHUNKS - 4));
		assert_true(damage.total == 1);
		assert_non_null(strstr(damage.notes[0].text, "of 1000 chunks"));
	}
	chunk_index_done(&index);
	source_done(&source);
	damage_done(&damage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_every_chunk),
		cmocka_unit_test(reads_in_sequence),
		cmocka_unit_test(reports_the_point_of_truncation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
