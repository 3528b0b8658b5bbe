/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/compress/deflate.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "test.h"

#define SIZE ((size_t)300000)

struct round {
	enum compression compression;
	int level;
};

/* Compressible text, followed by incompressible bytes. */
static void fill(uint8_t *bytes, size_t size)
{
	uint32_t x = 1;

	for (size_t i = 0; i < size; i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = i < size / 2 ? (uint8_t) "a page of events "[i % 17] :
					  (uint8_t)(x >> 24);
	}
}

static int round_trip(void *arg)
{
	const struct round *round = arg;
	size_t room = deflate_bound(round->compression, SIZE);
	_cleanup_free_ uint8_t *in = mem_alloc(SIZE), *out = mem_alloc(room),
			       *back = mem_alloc(SIZE);
	static const size_t sizes[] = { SIZE, 1, 40960, 0 };
	struct inflater inflater = { 0 };
	struct deflater deflater;
	int r = in && out && back ? deflater_init(&deflater, round->compression, round->level) :
				    -ENOMEM;

	if (r < 0)
		return r;
	fill(in, SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(sizes) && r == 0; i++) {
		size_t size = sizes[i], packed = 0;

		r = deflater_run(&deflater, in, size, out, deflate_bound(round->compression, size),
				 &packed);
		assert_true(r < 0 || packed <= deflate_bound(round->compression, size));
		assert_true(r < 0 || size < 40960 || packed < size);
		if (r == 0)
			r = inflater_run(&inflater, round->compression, out, packed, back, size);
		if (r == 0)
			assert_memory_equal(in, back, size);
	}
	inflater_done(&inflater);
	deflater_done(&deflater);
	return r;
}

static void decompresses_its_own_output(void **state)
{
	static const struct round rounds[] = {
		{ COMPRESSION_ZLIB, 0 }, { COMPRESSION_ZLIB, 1 }, { COMPRESSION_ZLIB, 9 },
		{ COMPRESSION_ZSTD, 0 }, { COMPRESSION_ZSTD, 1 }, { COMPRESSION_ZSTD, 19 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++) {
		struct round round = rounds[i];

		assert_int_equal(round_trip(&round), 0);
	}
}

static void survives_failing_allocations(void **state)
{
	struct round zlib = { COMPRESSION_ZLIB, 1 }, zstd = { COMPRESSION_ZSTD, 1 };

	oom_check(round_trip, &zlib);
	oom_check(round_trip, &zstd);
}

static void names_match_those_in_files(void **state)
{
	struct deflater deflater;

	for (unsigned c = COMPRESSION_NONE; c < COMPRESSION_UNKNOWN; c++)
		assert_int_equal(compression_by_name(compression_name(c)), c);
	assert_string_equal(compression_version(COMPRESSION_NONE), "");
	assert_true(compression_version(COMPRESSION_ZSTD)[0] == '1');
	assert_int_equal(deflater_init(&deflater, COMPRESSION_NONE, 0), -ENOTSUP);
	assert_int_equal(deflater_init(&deflater, COMPRESSION_UNKNOWN, 0), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decompresses_its_own_output),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(names_match_those_in_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
