/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/compress/gzip.h"

#include <zlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "test.h"

#define SIZE ((size_t)200000)

static void take(void *data, const void *bytes, size_t len)
{
	assert_true(len && len <= GZIP_PIECE_MAX);
	strbuf_add(data, bytes, len);
}

/* Incompressible numbers, with a repeating byte in between. */
static void fill(unsigned char *bytes)
{
	uint32_t x = 1;

	for (size_t i = 0; i < SIZE; i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(i % 5 ? x >> 24 : 'a');
	}
}

static int pack(const unsigned char *bytes, size_t step, struct strbuf *packed)
{
	struct gzip gzip;

	if (gzip_init(&gzip, take, packed) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < SIZE; i += step)
		gzip_add(&gzip, bytes + i, SIZE - i < step ? SIZE - i : step);
	gzip_end(&gzip);
	gzip_done(&gzip);
	return packed->err;
}

static void unpack(const struct strbuf *packed, unsigned char *bytes)
{
	z_stream stream = { .next_in = (Bytef *)packed->s,
			    .avail_in = (uInt)packed->len,
			    .next_out = bytes,
			    .avail_out = SIZE };

	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.avail_out, 0);
	assert_int_equal(stream.avail_in, 0);
	inflateEnd(&stream);
}

static int round_trip(void *arg)
{
	_cleanup_free_ unsigned char *bytes = mem_alloc(SIZE), *back = mem_alloc(SIZE);
	_cleanup_strbuf_ struct strbuf packed = { 0 };
	int r = bytes && back ? 0 : -ENOMEM;

	if (r == 0) {
		fill(bytes);
		r = pack(bytes, *(const size_t *)arg, &packed);
	}
	if (r == 0) {
		assert_true(packed.len < SIZE && (unsigned char)packed.s[0] == 0x1f);
		unpack(&packed, back);
		assert_memory_equal(bytes, back, SIZE);
	}
	return r;
}

static void decompresses_its_own_output(void **state)
{
	static const size_t steps[] = { SIZE, 1, 16384, 70001 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int r = round_trip((void *)&steps[i]);

		assert_true(r == 0 || r == -ENOMEM);
	}
}

static void compresses_empty_input(void **state)
{
	_cleanup_strbuf_ struct strbuf packed = { 0 };
	struct gzip gzip;

	require(gzip_init(&gzip, take, &packed) >= 0);
	gzip_end(&gzip);
	gzip_done(&gzip);
	gzip_done(&gzip);
	if (succeeds(!packed.err))
		assert_int_equal(packed.len, 20);
}

static void survives_failing_allocations(void **state)
{
	size_t step = SIZE;

	oom_check(round_trip, &step);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decompresses_its_own_output),
		cmocka_unit_test(compresses_empty_input),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
