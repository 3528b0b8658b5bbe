/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/event/sample-event.h"

#include <linux/perf_event.h>

#include "format/bytes.h"
#include "format/event/event-format.h"
#include "test.h"

/* A chain in bytes, with at most this many entries. */
#define CHAIN_MAX 400

struct chain {
	uint8_t bytes[CHAIN_MAX * 8];
	uint32_t n;
	bool big;
};

static void put(struct chain *chain, uint64_t address)
{
	store_u64(chain->bytes + (size_t)chain->n++ * 8, address, chain->big);
}

static uint64_t number(const struct event_format *format, const char *name, const uint8_t *event,
		       uint32_t size)
{
	const struct event_field *field = event_field_find(format, name);
	uint64_t value = 0;

	assert_non_null(field);
	assert_true(event_field_u64(format, field, event, size, &value));
	return value;
}

static struct event_format *parse(struct arena *arena, bool big)
{
	struct event_abi abi = { .long_size = 8, .big_endian = big };
	struct event_format *format = NULL;

	if (event_format_parse(sample_format, strlen(sample_format), SAMPLE_SYSTEM, abi, arena,
			       &format, NULL) < 0)
		return NULL;
	assert_int_equal(format->id, SAMPLE_ID);
	assert_string_equal(format->name, SAMPLE_NAME);
	return format;
}

/* The bytes written agree with the format, in both byte orders. */
static void check(bool big)
{
	static const uint64_t frames[] = { 0xffffffff81000010, 0xffffffff81000020, 0x401000,
					   0x402000 };
	struct perf_layout layout = { .big = big };
	struct chain chain = { .big = big };
	struct perf_record record = { .kind = PERF_SAMPLE,
				      .misc = PERF_RECORD_MISC_KERNEL,
				      .pid = 100,
				      .tid = 101,
				      .ip = 0xffffffff81000010,
				      .chain = chain.bytes };
	struct arena arena = { 0 };
	struct event_format *format = parse(&arena, big);
	uint8_t event[SAMPLE_SIZE_MAX];
	uint64_t address;
	uint32_t size;

	put(&chain, (uint64_t)PERF_CONTEXT_KERNEL);
	put(&chain, frames[0]);
	put(&chain, frames[1]);
	put(&chain, (uint64_t)PERF_CONTEXT_USER);
	put(&chain, frames[2]);
	put(&chain, frames[3]);
	put(&chain, 0);
	record.n_chain = chain.n;
	size = sample_event_write(&layout, &record, 10101010, event);
	if (succeeds(format)) {
		const struct event_field *stack = event_field_find(format, "stack");

		assert_int_equal(number(format, "common_type", event, size), SAMPLE_ID);
		assert_int_equal(number(format, "common_pid", event, size), 101);
		assert_int_equal(number(format, "tgid", event, size), 100);
		assert_int_equal(number(format, "ip", event, size), frames[0]);
		assert_int_equal(number(format, "ns", event, size), 10101010);
		assert_int_equal(number(format, "user", event, size), 0);
		assert_int_equal(number(format, "kernel", event, size), 2);
		for (size_t i = 0; i < 4; i++) {
			assert_true(event_field_element(format, stack, event, size, i, &address));
			assert_int_equal(address, frames[i]);
		}
		assert_false(event_field_element(format, stack, event, size, 4, &address));
	}
	arena_done(&arena);
}

static void text_equals_that_of_the_format(void **state)
{
	check(false);
	check(true);
}

/* A sample triggered by an event has its ID, and represents no time. */
static void names_the_event(void **state)
{
	struct perf_layout layout = { .big = BYTES_HOST_BIG };
	static const uint16_t raw[] = { 348, 0, 1, 2 };
	struct perf_record record = { .kind = PERF_SAMPLE };
	struct arena arena = { 0 };
	struct event_format *format = parse(&arena, BYTES_HOST_BIG);
	uint8_t event[SAMPLE_SIZE_MAX];
	uint32_t size = sample_event_write(&layout, &record, 99, event);

	if (succeeds(format)) {
		assert_int_equal(number(format, "event", event, size), 0);
		assert_int_equal(number(format, "ns", event, size), 99);
		record.raw = (const uint8_t *)raw;
		record.raw_size = 1;
		assert_int_equal(sample_record_event(&layout, &record), 0);
		record.raw_size = sizeof(raw);
		size = sample_event_write(&layout, &record, 99, event);
		assert_int_equal(number(format, "event", event, size), 348);
		assert_int_equal(number(format, "ns", event, size), 0);
	}
	arena_done(&arena);
}

/* A user stack without any marker is recognized by the CPU's mode alone. */
static void truncates_long_stacks(void **state)
{
	struct perf_layout layout = { .big = BYTES_HOST_BIG };
	struct chain chain = { .big = BYTES_HOST_BIG };
	struct perf_record record = { .kind = PERF_SAMPLE,
				      .misc = PERF_RECORD_MISC_USER,
				      .chain = chain.bytes };
	uint8_t event[SAMPLE_SIZE_MAX];

	assert_int_equal(sample_event_write(&layout, &record, 1, event), SAMPLE_HEAD);
	put(&chain, (uint64_t)PERF_CONTEXT_USER);
	for (uint32_t i = 1; i < CHAIN_MAX; i++)
		put(&chain, 0x1000 + i);
	record.n_chain = chain.n;
	assert_int_equal(sample_event_write(&layout, &record, 1, event), SAMPLE_SIZE_MAX);
	assert_int_equal(load_u32(event + 28, BYTES_HOST_BIG), 1);
	assert_int_equal(load_u32(event + 32, BYTES_HOST_BIG), 0);
}

/* Unwound frames replace those of the program and keep those of the kernel. */
static void accepts_unwound_frames(void **state)
{
	struct perf_layout layout = { .big = BYTES_HOST_BIG };
	struct chain chain = { .big = BYTES_HOST_BIG };
	struct perf_record record = { .kind = PERF_SAMPLE, .chain = chain.bytes };
	static uint64_t found[SAMPLE_FRAMES_MAX] = { 0x401000, 0x402000, 0x403000 };
	uint8_t event[SAMPLE_SIZE_MAX];
	struct arena arena = { 0 };
	struct event_format *format = parse(&arena, BYTES_HOST_BIG);
	uint64_t address;
	uint32_t size;

	put(&chain, (uint64_t)PERF_CONTEXT_KERNEL);
	put(&chain, 0xffffffff81000000);
	put(&chain, (uint64_t)PERF_CONTEXT_USER);
	put(&chain, 0x1);
	record.n_chain = chain.n;
	sample_event_write(&layout, &record, 1, event);
	size = sample_event_set_frames(event, found, 3, SAMPLE_END_COPY, BYTES_HOST_BIG);
	if (succeeds(format)) {
		const struct event_field *stack = event_field_find(format, "stack");

		assert_int_equal(number(format, "end", event, size), SAMPLE_END_COPY);
		assert_int_equal(number(format, "kernel", event, size), 1);
		assert_true(event_field_element(format, stack, event, size, 0, &address));
		assert_int_equal(address, 0xffffffff81000000);
		for (size_t i = 0; i < 3; i++) {
			assert_true(
				event_field_element(format, stack, event, size, i + 1, &address));
			assert_int_equal(address, found[i]);
		}
		assert_false(event_field_element(format, stack, event, size, 4, &address));
	}
	/* More than there is room for. */
	size = sample_event_set_frames(event, found, SAMPLE_FRAMES_MAX, SAMPLE_END_WHOLE,
				       BYTES_HOST_BIG);
	assert_int_equal(size, SAMPLE_SIZE_MAX);
	if (succeeds(format))
		assert_int_equal(number(format, "end", event, size), SAMPLE_END_ROOM);
	arena_done(&arena);
	assert_null(sample_end_text(SAMPLE_END_WHOLE));
	assert_null(sample_end_text(UINT64_MAX));
	assert_non_null(sample_end_text(SAMPLE_END_LATE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_equals_that_of_the_format),
		cmocka_unit_test(names_the_event),
		cmocka_unit_test(truncates_long_stacks),
		cmocka_unit_test(accepts_unwound_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
