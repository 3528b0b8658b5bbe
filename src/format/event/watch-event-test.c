/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/event/watch-event.h"

#include <linux/perf_event.h>

#include "format/bytes.h"
#include "format/event/event-format.h"
#include "test.h"

static uint64_t number(const struct event_format *format, const char *name, const uint8_t *event,
		       uint32_t size)
{
	const struct event_field *field = event_field_find(format, name);
	uint64_t value = 0;

	assert_non_null(field);
	assert_true(event_field_u64(format, field, event, size, &value));
	return value;
}

static void check_what(const struct event_format *format, const uint8_t *event, uint32_t size,
		       const char *wanted)
{
	const char *what;
	size_t len;

	assert_true(event_field_string(format, event_field_find(format, "what"), event, size, &what,
				       &len));
	assert_int_equal(len, strlen(wanted));
	assert_memory_equal(what, wanted, len);
}

static void check_numbers(const struct event_format *format, const uint8_t *event, uint32_t size)
{
	assert_int_equal(number(format, "common_type", event, size), WATCH_EVENT_ID);
	assert_int_equal(number(format, "common_pid", event, size), 101);
	assert_int_equal(number(format, "ip", event, size), 0x401010);
	assert_int_equal(number(format, "address", event, size), 0x404040);
	assert_int_equal(number(format, "old", event, size), 41);
	assert_int_equal(number(format, "new", event, size), UINT64_MAX);
	assert_int_equal(number(format, "tgid", event, size), 100);
	assert_int_equal(number(format, "length", event, size), 8);
	assert_int_equal(number(format, "known", event, size), 3);
	assert_int_equal(number(format, "access", event, size), 1);
	assert_int_equal(number(format, "user", event, size), 1);
}

/* The bytes written agree with the format, in both byte orders, with a chain of @n addresses. */
static void check(bool big, uint32_t n)
{
	struct perf_layout layout = { .big = big };
	struct event_abi abi = { .long_size = 8, .big_endian = big };
	uint8_t chain[24], out[WATCH_EVENT_SIZE_MAX];
	struct perf_record record = { .kind = PERF_SAMPLE,
				      .misc = PERF_RECORD_MISC_USER,
				      .pid = 100,
				      .tid = 101,
				      .ip = 0x401010,
				      .chain = chain,
				      .n_chain = n };
	struct watch_event event = { .address = 0x404040,
				     .before = 41,
				     .after = UINT64_MAX,
				     .length = 8,
				     .known = WATCH_EVENT_OLD | WATCH_EVENT_NEW,
				     .access = WATCH_EVENT_WRITE,
				     .what = "table+8" };
	struct event_format *format = NULL;
	struct arena arena = { 0 };
	uint64_t address;
	uint32_t size;

	store_u64(chain, (uint64_t)PERF_CONTEXT_USER, big);
	store_u64(chain + 8, 0x401010, big);
	store_u64(chain + 16, 0x402000, big);
	size = watch_event_write(&layout, &record, &event, out);
	assert_int_equal(size % 4, 0);
	if (succeeds(event_format_parse(watch_event_format, strlen(watch_event_format),
					WATCH_EVENT_SYSTEM, abi, &arena, &format, NULL) == 0)) {
		const struct event_field *stack = event_field_find(format, "stack");

		assert_string_equal(format->name, WATCH_EVENT_NAME);
		assert_int_equal(format->id, WATCH_EVENT_ID);
		check_numbers(format, out, size);
		check_what(format, out, size, "table+8");
		assert_true(event_field_element(format, stack, out, size, 0, &address));
		assert_int_equal(address, 0x401010);
		assert_int_equal(event_field_element(format, stack, out, size, 1, &address),
				 n == 3);
		assert_int_equal(number(format, "kernel", out, size), 0);
	}
	arena_done(&arena);
}

static void text_equals_that_of_the_format(void **state)
{
	check(false, 3);
	check(true, 3);
	check(false, 0);
	check(true, 0);
}

/* Names of any length end within the event; those that are too long are truncated. */
static void truncates_long_stacks(void **state)
{
	static uint8_t chain[8 * (SAMPLE_FRAMES_MAX + 9)];
	struct perf_layout layout = { .big = BYTES_HOST_BIG };
	struct perf_record record = { .kind = PERF_SAMPLE,
				      .misc = PERF_RECORD_MISC_KERNEL,
				      .chain = chain,
				      .n_chain = SAMPLE_FRAMES_MAX + 9 };
	uint8_t out[WATCH_EVENT_SIZE_MAX];
	char name[2 * WATCH_EVENT_WHAT_MAX];

	memset(chain, 1, sizeof(chain));
	for (size_t len = 0; len < sizeof(name) - 1; len++) {
		struct watch_event event = { .what = name };
		uint32_t size, what;

		memset(name, 'x', len);
		name[len] = '\0';
		size = watch_event_write(&layout, &record, &event, out);
		what = load_u32(out + 68, BYTES_HOST_BIG);
		assert_true(size <= WATCH_EVENT_SIZE_MAX);
		assert_true((what & 0xffff) + (what >> 16) <= size);
		assert_int_equal(out[(what & 0xffff) + (what >> 16) - 1], 0);
		assert_int_equal(what >> 16, len < WATCH_EVENT_WHAT_MAX - 4 ?
						     len + 1 :
						     WATCH_EVENT_WHAT_MAX - 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_equals_that_of_the_format),
		cmocka_unit_test(truncates_long_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
