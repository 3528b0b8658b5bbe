/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/count/count-opens.h"

#define KEY 7 /* of the thread in most tests */

static const struct count_opens threads = { .nested = COUNT_OPENS_NESTED, .by_thread = true };
static const struct count_opens keys = { .key_size = 16, .nested = 1 };

static struct fathom_event event_at(uint64_t time, uint32_t cpu)
{
	return (struct fathom_event){ .time = time, .cpu = cpu, .pid = KEY };
}

static bool begin(struct count_opens *opens, uint64_t key, uint64_t time, uint32_t cpu)
{
	const struct fathom_event event = event_at(time, cpu);
	struct count_frame *frame = count_opens_begin(opens, key, &event);

	if (frame) {
		frame->time = time;
		frame->rejected = false;
		memset(frame->key, (int)time, opens->key_size);
	}
	return frame;
}

/* Returns the time of the begin; 0: none. */
static uint64_t end(struct count_opens *opens, uint64_t key, uint64_t time, uint32_t cpu)
{
	const struct fathom_event event = event_at(time, cpu);
	const struct count_frame *frame = count_opens_end(opens, key, &event);

	return frame ? frame->time : 0;
}

static void lose(struct count_opens *opens, uint64_t time, uint32_t cpu)
{
	struct fathom_event event = event_at(time, cpu);
	const struct decoded_event decoded = { .event = &event };

	event.missed = 3;
	count_opens_note(opens, &decoded);
}

static void the_latest_begin_ends_first(void **state)
{
	struct count_opens opens = threads;

	if (succeeds(begin(&opens, KEY, 1, 0) && begin(&opens, KEY, 2, 1) &&
		     begin(&opens, 8, 3, 0))) {
		assert_int_equal(opens.n, 2);
		assert_int_equal(end(&opens, 9, 4, 0), 0);
		assert_int_equal(end(&opens, KEY, 4, 0), 2);
		assert_int_equal(end(&opens, KEY, 5, 0), 1);
		assert_int_equal(end(&opens, KEY, 6, 0), 0);
		assert_int_equal(count_opens_left(&opens), 1);
		assert_int_equal(end(&opens, 8, 6, 0), 3);
		assert_int_equal(opens.n, 0);
		assert_int_equal(count_opens_left(&opens), 0);
	}
	count_opens_done(&opens);
}

static void too_many_begins_start_anew(void **state)
{
	struct count_opens opens = threads;
	bool fine = true;

	for (uint64_t i = 1; i <= COUNT_OPENS_NESTED + 2; i++)
		fine = fine && begin(&opens, KEY, i, 0);
	if (succeeds(fine)) {
		assert_int_equal(opens.not_begun, 1);
		assert_int_equal(end(&opens, KEY, 20, 0), COUNT_OPENS_NESTED + 2);
		assert_int_equal(end(&opens, KEY, 21, 0), COUNT_OPENS_NESTED + 1);
		assert_int_equal(end(&opens, KEY, 22, 0), 0);
	}
	count_opens_done(&opens);
}

static void a_later_begin_replaces_the_one_of_its_key(void **state)
{
	struct count_opens opens = keys;

	if (succeeds(begin(&opens, KEY, 1, 0) && begin(&opens, KEY, 2, 1))) {
		assert_int_equal(end(&opens, KEY, 3, 2), 2);
		assert_int_equal(end(&opens, KEY, 4, 2), 0);
		assert_int_equal(opens.not_begun, 0);
		assert_int_equal(count_opens_left(&opens), 0);
	}
	count_opens_done(&opens);
}

/* Only the CPUs where the thread was are of interest. */
static void lost_events_end_what_a_thread_began(void **state)
{
	struct count_opens opens = threads;

	if (succeeds(begin(&opens, KEY, 1, 0) && begin(&opens, 8, 2, 1) && begin(&opens, 9, 3, 2) &&
		     begin(&opens, 9, 4, 2))) {
		lose(&opens, 10, 0);
		assert_int_equal(end(&opens, KEY, 11, 3), 0);
		assert_int_equal(count_opens_left(&opens), 4);
		/* It is now where events were lost. */
		assert_int_equal(end(&opens, 8, 12, 0), 0);
		assert_int_equal(end(&opens, 9, 13, 2), 4);
		lose(&opens, 14, 2);
		assert_true(begin(&opens, 9, 15, 2) || mem_fault);
		assert_int_equal(end(&opens, 9, 16, 2), 15);
		assert_int_equal(end(&opens, 9, 17, 2), 0);
		assert_int_equal(count_opens_left(&opens), 3);
	}
	count_opens_done(&opens);
}

/* A key can be used on any CPU. */
static void lost_events_end_all_keys(void **state)
{
	struct count_opens opens = keys;

	if (succeeds(begin(&opens, KEY, 1, 0))) {
		lose(&opens, 10, 3);
		assert_int_equal(end(&opens, KEY, 11, 0), 0);
		assert_int_equal(count_opens_left(&opens), 1);
	}
	count_opens_done(&opens);
}

static void begins_move_with_the_thread(void **state)
{
	struct count_opens opens = threads;

	if (succeeds(begin(&opens, KEY, 1, 0) && begin(&opens, KEY, 2, 0) &&
		     begin(&opens, 8, 3, 0))) {
		count_opens_move(&opens, KEY, 8);
		assert_int_equal(end(&opens, KEY, 4, 0), 0);
		assert_int_equal(end(&opens, 8, 5, 0), 2);
		assert_int_equal(end(&opens, 8, 6, 0), 1);
		assert_int_equal(count_opens_left(&opens), 1);
		count_opens_move(&opens, 20, 21);
		count_opens_forget(&opens, 20);
		assert_int_equal(opens.n, 0);
	}
	count_opens_done(&opens);
}

static void rejected_begins_are_not_open(void **state)
{
	struct count_opens opens = threads;
	const struct fathom_event event = event_at(5, 0);
	struct count_frame *frame = count_opens_begin(&opens, KEY, &event);

	if (succeeds(frame)) {
		frame->rejected = true;
		assert_int_equal(count_opens_left(&opens), 0);
	}
	count_opens_done(&opens);
}

/* Compared with a plain array. */
static void finds_keys_among_many(void **state)
{
	struct count_opens opens = keys;
	uint64_t times[500] = { 0 };
	uint32_t seed = 5;

	require_memory();
	for (uint64_t time = 1; time < 50000; time++) {
		uint32_t key;

		seed = seed * 1664525 + 1013904223;
		key = (seed >> 8) % 500;
		if (seed >> 31) {
			assert_true(begin(&opens, key, time, 0));
			times[key] = time;
		} else {
			assert_int_equal(end(&opens, key, time, 0), times[key]);
			times[key] = 0;
		}
	}
	count_opens_done(&opens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_latest_begin_ends_first),
		cmocka_unit_test(too_many_begins_start_anew),
		cmocka_unit_test(a_later_begin_replaces_the_one_of_its_key),
		cmocka_unit_test(lost_events_end_what_a_thread_began),
		cmocka_unit_test(lost_events_end_all_keys),
		cmocka_unit_test(begins_move_with_the_thread),
		cmocka_unit_test(rejected_begins_are_not_open),
		cmocka_unit_test(finds_keys_among_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
