/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <zlib.h>

#include "export-sample.h"
#include "test.h"

static const struct export_sample_event events[] = {
	{ EXPORT_ENTRY, 0, 1000, 42, EXPORT_FIRST, 0 },
	{ EXPORT_ENTRY, 0, 1100, 42, EXPORT_SECOND, 1 },
	{ EXPORT_SWITCH, 0, 1110, 42, 42, 0, 1, "swapper/0" },
	{ EXPORT_SWITCH, 0, 1150, 0, 0, 42, 0, "task" },
	{ EXPORT_EXIT, 0, 1200, 42, EXPORT_SECOND, 1, 100 },
	{ EXPORT_EXIT, 0, 1300, 42, EXPORT_FIRST, 0, 300 },
	{ 0 },
};

static size_t unpack(const struct strbuf *packed, uint8_t *bytes, size_t size)
{
	z_stream stream = { .next_in = (Bytef *)packed->s,
			    .avail_in = (uInt)packed->len,
			    .next_out = bytes,
			    .avail_out = (uInt)size };

	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	inflateEnd(&stream);
	return size - stream.avail_out;
}

/* Reads the field at *@at. Returns its number, with its @len bytes or its value. */
static unsigned take(const uint8_t **at, const uint8_t **ret_bytes, uint64_t *ret_value)
{
	unsigned tag = *(*at)++, shift = 0;
	uint64_t value = 0;

	do
		value |= (uint64_t)(**at & 0x7f) << shift, shift += 7;
	while (*(*at)++ & 0x80);
	*ret_value = value;
	*ret_bytes = NULL;
	if ((tag & 7) == 2) {
		*ret_bytes = *at;
		*at += value;
	} else {
		assert_int_equal(tag & 7, 0);
	}
	return tag >> 3;
}

static void check_profile(const uint8_t *p, size_t size)
{
	/* first: called once, self time 200 ns; second, called by it: 100 ns, 40 of them asleep */
	static const uint8_t inner[] = { 0x0a, 2, 2, 1, 0x12, 4, 1, 100, 60, 40 };
	static const uint8_t outer[] = { 0x0a, 1, 1, 0x12, 5, 1, 0xc8, 1, 0xc8, 1, 0 };
	unsigned counts[16] = { 0 };
	const uint8_t *end = p + size, *bytes;
	uint64_t value;

	while (p < end) {
		unsigned field = take(&p, &bytes, &value);

		assert_true(p <= end && field < 16);
		counts[field]++;
		if (field == 2 && value == sizeof(inner))
			assert_memory_equal(bytes, inner, sizeof(inner));
		else if (field == 2 && value == sizeof(outer) - 1)
			assert_memory_equal(bytes, outer, sizeof(outer) - 1);
		if (field == 6 && counts[6] == 1)
			assert_int_equal(value, 0);
		if (field == 6 && counts[6] == 9)
			assert_memory_equal(bytes, "first", 5);
		if (field == 10)
			assert_int_equal(value, 300);
	}
	assert_int_equal(counts[1], 4);
	assert_int_equal(counts[2], 2);
	assert_int_equal(counts[3], 1);
	assert_int_equal(counts[4], 2);
	assert_int_equal(counts[5], 2);
	assert_int_equal(counts[6], 10);
}

static void writes_samples(void **state)
{
	struct export_sample sample;
	uint8_t bytes[4096];
	int r = export_sample_open(&sample, &export_pprof, events);

	if (r == 0)
		r = export_sample_write(&sample);
	if (succeeds(r == 0))
		check_profile(bytes, unpack(&sample.bytes, bytes, sizeof(bytes)));
	export_sample_done(&sample);
	assert_true(r == 0 || r == -ENOMEM);
}

static void survives_failing_allocations(void **state)
{
	struct export_sample sample;

	if (succeeds(export_sample_open(&sample, &export_pprof, events) == 0 &&
		     export_sample_write(&sample) == 0))
		oom_check(export_sample_write, &sample);
	export_sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_samples),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
