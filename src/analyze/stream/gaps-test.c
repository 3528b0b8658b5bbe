/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/stream/gaps.h"
#include "base/mem.h"

static void note(struct gaps *gaps, uint32_t cpu, uint64_t time)
{
	const struct fathom_event event = { .cpu = cpu, .time = time, .missed = 3 };

	gaps_note(gaps, &(struct decoded_event){ .event = &event });
}

static void the_task_stays_on_its_cpu(void **state)
{
	const struct fathom_event event = { .cpu = 1, .time = 110 };
	struct gaps gaps = { 0 };
	struct gaps_mark mark = { 0 };

	assert_false(gaps_crossed(&gaps, &mark, 1, 100));
	gaps_note(&gaps, &(struct decoded_event){ .event = &event });
	assert_false(gaps_crossed(&gaps, &mark, 1, 110));
	note(&gaps, 1, 120);
	note(&gaps, 0, 120);
	assert_true(gaps_crossed(&gaps, &mark, 1, 120));
	assert_false(gaps_crossed(&gaps, &mark, 1, 130));
	/* The clock of the CPU jumps back. */
	note(&gaps, 1, 90);
	assert_true(gaps_crossed(&gaps, &mark, 1, 95));
	gaps_done(&gaps);
}

static void the_task_migrates(void **state)
{
	struct gaps gaps = { 0 };
	struct gaps_mark mark = { 0 };

	/* On the CPU to which it migrates, but before its last event. */
	note(&gaps, 2, 50);
	gaps_crossed(&gaps, &mark, 1, 100);
	assert_false(gaps_crossed(&gaps, &mark, 2, 110));
	/* It may have run there without leaving an event. */
	note(&gaps, 2, 120);
	assert_true(gaps_crossed(&gaps, &mark, 1, 130));
	/* The first event after the gap belongs to the task. */
	note(&gaps, 2, 140);
	assert_true(gaps_crossed(&gaps, &mark, 2, 140));
	/* On a CPU on which the task was not seen. */
	note(&gaps, 3, 150);
	assert_false(gaps_crossed(&gaps, &mark, 1, 160));
	gaps_done(&gaps);
}

static void lost_samples_are_not_a_gap(void **state)
{
	const struct fathom_event event = { .cpu = 1, .time = 110, .missed = 3 };
	struct gaps gaps = { 0 };

	gaps_note(&gaps, &(struct decoded_event){ .kind = DECODED_SAMPLE, .event = &event });
	assert_int_equal(gaps_at(&gaps, 1).count, 0);
	gaps_done(&gaps);
}

static int fill(void *arg)
{
	struct gaps gaps = { 0 };
	int r;

	for (uint32_t cpu = 0; cpu < 100; cpu++)
		note(&gaps, cpu, 10);
	r = gaps.nomem ? -ENOMEM : 0;
	gaps_done(&gaps);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(fill, NULL);
}

static void rejects_absurd_cpu_numbers(void **state)
{
	struct gaps gaps = { 0 };

	note(&gaps, 1U << 31, 10);
	assert_true(gaps.nomem);
	assert_int_equal(gaps_at(&gaps, 1U << 31).count, 0);
	gaps_done(&gaps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_task_stays_on_its_cpu),
		cmocka_unit_test(the_task_migrates),
		cmocka_unit_test(lost_samples_are_not_a_gap),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(rejects_absurd_cpu_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
