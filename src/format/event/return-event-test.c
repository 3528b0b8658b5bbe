/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/event/return-event.h"

#include "format/event/event-format.h"
#include "test.h"

static uint64_t number(const struct event_format *format, const char *name, const uint8_t *event)
{
	const struct event_field *field = event_field_find(format, name);
	uint64_t value = 0;

	assert_non_null(field);
	assert_true(event_field_u64(format, field, event, RETURN_EVENT_SIZE, &value));
	return value;
}

/* The bytes written agree with the format. */
static void check(bool big)
{
	struct event_abi abi = { .long_size = 8, .big_endian = big };
	struct event_format *format = NULL;
	struct arena arena = { 0 };
	uint8_t out[RETURN_EVENT_SIZE];

	return_event_write(101, 0xffffffff81234564, -2, big, out);
	if (succeeds(event_format_parse(return_event_format, strlen(return_event_format), "fathom",
					abi, &arena, &format, NULL) == 0)) {
		assert_string_equal(format->name, RETURN_EVENT_NAME);
		assert_int_equal(format->id, RETURN_EVENT_ID);
		assert_int_equal(number(format, "common_type", out), RETURN_EVENT_ID);
		assert_int_equal(number(format, "common_pid", out), 101);
		assert_int_equal(number(format, "__probe_func", out), 0xffffffff81234564);
		assert_int_equal(number(format, "ret", out), (uint64_t)-2);
	}
	arena_done(&arena);
}

static void text_equals_that_of_the_format(void **state)
{
	check(false);
	check(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_equals_that_of_the_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
