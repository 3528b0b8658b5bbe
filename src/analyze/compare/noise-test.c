/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <math.h>

#include "analyze/compare/noise.h"
#include "base/mem.h"

#define RUNS_MAX 12

/* A change common to all rows is not a change of any row, and is reported separately. */
static void detects_drift_of_a_whole_run(void **state)
{
	struct noise_cell cells[20 * 2] = { 0 };
	struct noise_row rows[20] = { 0 };
	struct noise noise;

	for (size_t i = 0; i < 20; i++)
		for (size_t run = 0; run < 2; run++)
			cells[i * 2 + run] = (struct noise_cell){
				.calls = 100,
				.outermost = 100,
				.time = { .count = 100,
					  .mean = (double)i + (run ? log(1.5) : 0) +
						  (run && i == 7 ? log(100) : 0),
					  .variance = 1e-6,
					  .windows = 32 },
			};
	require(noise_judge(cells, 1, 1, NULL, 0, rows, 20, &noise) >= 0);
	assert_true(noise.drift_known);
	assert_true(fabs(noise.drift - log(1.5)) < 1e-9);
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(rows[i].time, i == 7 ? NOISE_TIME_SLOWER : NOISE_TIME_UNSEEN);
	assert_true(fabs(rows[7].change - log(100)) < 1e-9);
	assert_true(rows[7].least > 0 && rows[7].least < log(100));
}

/*
 * Rows that differ equally between the runs of a side: the standard error of their change follows
 * from that alone.
 */
static void the_error_is_estimated_between_runs(void **state)
{
	static const double runs[5] = { -0.01, 0, 0.01, -0.01, 0.01 };
	struct noise_cell cells[21 * 5] = { 0 };
	struct noise_row rows[21] = { 0 };
	struct noise noise;

	for (size_t i = 0; i < 21; i++)
		for (size_t run = 0; run < 5; run++)
			cells[i * 5 + run] = (struct noise_cell){
				.calls = 100,
				.outermost = 100,
				/*
				 * One does not differ; half of the others go up when the rest go
				 * down.
				 */
				.time = { .count = 100,
					  .mean = (double)i + (i == 20 ? 0 :
							       i % 2   ? runs[run] :
									 -runs[run]),
					  .variance = 1e-12,
					  .windows = 32 },
			};
	require(noise_judge(cells, 3, 2, NULL, 0, rows, 21, &noise) >= 0);
	/*
	 * The squares of all five deviations from the averages of their sides, and three degrees of
	 * freedom.
	 */
	assert_true(fabs(noise.between - sqrt(4e-4 / 3)) < 1e-6);
	for (size_t i = 0; i < 20; i++)
		assert_true(fabs(rows[i].error - sqrt(4e-4 / 3 * (1. / 3 + 1. / 2))) < 1e-6);
}

static struct noise_row judge_counts(uint64_t before, uint64_t after, size_t n,
				     const struct noise_pace *pace)
{
	struct noise_cell cells[RUNS_MAX] = { 0 };
	struct noise_row row = { 0 };
	struct noise noise;

	for (size_t i = 0; i < 2 * n; i++)
		cells[i].calls = cells[i].outermost = i < n ? before : after;
	if (noise_judge(cells, n, n, pace, pace != NULL, &row, 1, &noise) < 0)
		assert_true(mem_fault);
	return row;
}

static void counts_have_a_direction(void **state)
{
	const struct noise_pace pace = { .before = 100, .after = 300 };

	require_memory();
	assert_int_equal(judge_counts(0, 20, 1, NULL).count, NOISE_COUNT_MORE);
	assert_int_equal(judge_counts(20, 0, 1, NULL).count, NOISE_COUNT_FEWER);
	assert_int_equal(judge_counts(0, 20, 1, NULL).time, NOISE_TIME_NONE);
	/* So few calls are split like this by chance in 1 of 100 cases. */
	assert_int_equal(judge_counts(0, 8, 1, NULL).count, NOISE_COUNT_UNSEEN);
	assert_int_equal(judge_counts(800, 880, 1, NULL).count, NOISE_COUNT_UNSEEN);
	/* Five runs that do not differ are stronger evidence than one. */
	assert_int_equal(judge_counts(800, 880, 5, NULL).count, NOISE_COUNT_MORE);
	assert_int_equal(judge_counts(3, 0, 5, NULL).count, NOISE_COUNT_FEWER);
	/* Interrupts tripled, and so may calls that they cause. */
	assert_int_equal(judge_counts(100, 250, 1, NULL).count, NOISE_COUNT_MORE);
	assert_int_equal(judge_counts(100, 250, 1, &pace).count, NOISE_COUNT_UNSEEN);
	assert_int_equal(judge_counts(250, 100, 1, &pace).count, NOISE_COUNT_FEWER);
}

static void too_few_calls_have_no_verdict(void **state)
{
	struct noise_cell cells[2] = { { .calls = 15, .time = { .count = 15, .mean = 1 } },
				       { .calls = 99, .time = { .count = 99, .mean = 9 } } };
	struct noise_row row = { 0 };
	struct noise noise;

	require(noise_judge(cells, 1, 1, NULL, 0, &row, 1, &noise) >= 0);
	assert_int_equal(row.time, NOISE_TIME_FEW);
	assert_int_equal(noise.n_times, 0);
	assert_false(noise.drift_known);
}

static int judge_nothing(void *arg)
{
	struct noise_cell cells[4] = { 0 };
	struct noise_row rows[2] = { 0 };
	struct noise noise;

	return noise_judge(cells, 1, 1, NULL, 0, rows, 2, &noise);
}

static void survives_failing_allocations(void **state)
{
	oom_check(judge_nothing, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detects_drift_of_a_whole_run),
		cmocka_unit_test(the_error_is_estimated_between_runs),
		cmocka_unit_test(counts_have_a_direction),
		cmocka_unit_test(too_few_calls_have_no_verdict),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
