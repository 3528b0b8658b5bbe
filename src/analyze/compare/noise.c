/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/compare/noise.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/compare/student.h"
#include "base/cleanup.h"
#include "base/mem.h"

/* Maximum share of false rows among those reported, on average. */
#define FALSE_SHARE 0.05
/* Maximum chance of a reported row if there are few rows. */
#define CHANCE_MAX 0.001
/* With one run on a side: tails of the differences between rows. */
#define TAILS 3
/* Likewise, tails of the differences between windows inside runs, up to 16 per side. */
#define TAILS_INNER 10
/* Chances from 1 to 10^-15 for which the distributions are tabulated. */
#define STEPS	 150
#define PER_STEP 0.1 /* decimal logarithm */
/* Share of rows whose variance within a window is below the assumed one. */
#define SWING_SHARE 0.75
/*
 * Rows with similar noise inside runs are judged together: maximum number and minimum size of
 * groups.
 */
#define GROUPS_MAX  8
#define GROUP_LEAST 40
/* Few rows carry little information: adds this many, which differ by this much between runs. */
#define PRIOR_ROWS    2
#define PRIOR_BETWEEN 0.1
/* Few runs carry little information: adds this many, which differ like those of the median row. */
#define PRIOR_RUNS 4
/* With fewer calls, even the most extreme split is more likely than CHANCE_MAX. */
#define COUNT_LEAST 11
/* Few interrupts carry little information: adds this many on each side. */
#define PACE_PRIOR 10
#define NEVER	   2.0 /* instead of a chance: not compared */

struct judging {
	const struct noise_cell *cells;
	size_t n_before, n_after, n_runs, n_rows;
	struct noise_row *rows;
	double *swings; /* by run: variance common to calls at the same time */
	double *means; /* of times, arranged as @cells, without the drift of the run */
	double *betweens; /* by row: difference between runs, if there is one run on a side */
	double *chances; /* by row */
	struct weighted *list; /* scratch space, one entry per row */
};

struct weighted {
	double value, weight;
	size_t row;
};

static int noise_compare_values(const void *pa, const void *pb)
{
	const struct weighted *a = pa, *b = pb;

	return a->value < b->value ? -1 : a->value > b->value;
}

static double weighted_median(struct weighted *list, size_t n)
{
	double all = 0, seen = 0;

	qsort(list, n, sizeof(*list), noise_compare_values);
	for (size_t i = 0; i < n; i++)
		all += list[i].weight;
	for (size_t i = 0; i < n; i++) {
		seen += list[i].weight;
		if (seen >= all / 2)
			return list[i].value;
	}
	return 0;
}

static double noise_sum_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static double squares_of(const double *values, size_t n)
{
	double mean = noise_sum_of(values, n) / (double)n, sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

/* Returns the difference between the averages of the sides. */
static double change_of(const struct judging *j, const double *values)
{
	return noise_sum_of(values + j->n_before, j->n_after) / (double)j->n_after -
	       noise_sum_of(values, j->n_before) / (double)j->n_before;
}

static enum noise_time noise_comparable(const struct judging *j, size_t row)
{
	const struct noise_cell *cells = &j->cells[row * j->n_runs];
	uint64_t calls[2] = { 0 };
	bool in_all = true;

	for (size_t i = 0; i < j->n_runs; i++) {
		calls[i >= j->n_before] += cells[i].time.count;
		in_all = in_all && cells[i].time.count;
	}
	if (!calls[0] || !calls[1])
		return NOISE_TIME_NONE;
	return in_all && calls[0] >= NOISE_CALLS_LEAST && calls[1] >= NOISE_CALLS_LEAST ?
		       NOISE_TIME_UNSEEN :
		       NOISE_TIME_FEW;
}

static double weight_of(const struct judging *j, size_t row)
{
	const struct noise_cell *cells = &j->cells[row * j->n_runs];
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < j->n_runs; i++)
		least = cells[i].time.count < least ? cells[i].time.count : least;
	return sqrt((double)least);
}

/* Returns the drift of a run: the deviation of all its rows from the average of the runs. */
static double drift_of(struct judging *j, size_t run)
{
	size_t n = 0;

	for (size_t row = 0; row < j->n_rows; row++) {
		const struct noise_cell *cells = &j->cells[row * j->n_runs];
		double sum = 0;

		for (size_t i = 0; i < j->n_runs; i++)
			sum += cells[i].time.mean;
		if (j->rows[row].time == NOISE_TIME_UNSEEN)
			j->list[n++] = (struct weighted){
				.value = cells[run].time.mean - sum / (double)j->n_runs,
				.weight = weight_of(j, row),
			};
	}
	return weighted_median(j->list, n);
}

/* Removes the drift from all rows. */
static void take_out_drift(struct judging *j, struct noise *noise)
{
	double drifts[2] = { 0 };

	noise->drift_known = noise->n_times >= NOISE_ROWS_LEAST;
	for (size_t run = 0; run < j->n_runs; run++) {
		double drift = noise->drift_known ? drift_of(j, run) : 0;

		for (size_t row = 0; row < j->n_rows; row++)
			j->means[row * j->n_runs + run] =
				j->cells[row * j->n_runs + run].time.mean - drift;
		drifts[run >= j->n_before] += drift;
	}
	noise->drift = drifts[1] / (double)j->n_after - drifts[0] / (double)j->n_before;
}

/* Returns the variance of the change as estimated from windows inside the runs. */
static double inner_variance(const struct judging *j, size_t row)
{
	const struct noise_cell *cells = &j->cells[row * j->n_runs];
	double sums[2] = { 0 };

	for (size_t i = 0; i < j->n_runs; i++)
		sums[i >= j->n_before] += cells[i].time.variance;
	return sums[0] / (double)(j->n_before * j->n_before) +
	       sums[1] / (double)(j->n_after * j->n_after);
}

/*
 * Determines the variance common to calls at the same time from rows that occur all the time. Uses
 * a high quantile, to be safe.
 */
static void find_swings(struct judging *j)
{
	for (size_t run = 0; run < j->n_runs; run++) {
		size_t n = 0;

		for (size_t row = 0; row < j->n_rows; row++) {
			const struct time_average *time = &j->cells[row * j->n_runs + run].time;

			if (time->count && time->swing >= 0)
				j->list[n++] = (struct weighted){ .value = time->swing };
		}
		qsort(j->list, n, sizeof(*j->list), noise_compare_values);
		j->swings[run] = n ? j->list[(size_t)((double)(n - 1) * SWING_SHARE)].value : 0;
	}
}

/*
 * The common variance of calls at the same time is invisible; the fewer windows, the more of it.
 */
static double swing_variance(const struct judging *j, size_t row)
{
	const struct noise_cell *cells = &j->cells[row * j->n_runs];
	double sums[2] = { 0 };

	for (size_t i = 0; i < j->n_runs; i++)
		if (cells[i].time.windows)
			sums[i >= j->n_before] += j->swings[i] / cells[i].time.windows;
	return sums[0] / (double)(j->n_before * j->n_before) +
	       sums[1] / (double)(j->n_after * j->n_after);
}

/*
 * Returns whether more rows of @group changed by more than @expected than would if rows differed by
 * @between from run to run.
 */
static bool is_beyond(const struct judging *j, const struct weighted *group, size_t n,
		      double between, double share, double expected)
{
	size_t beyond = 0;

	for (size_t i = 0; i < n; i++)
		beyond += fabs(j->rows[group[i].row].change) >
			  expected * hypot(between, group[i].value);
	return (double)beyond > (1 - share) * (double)n;
}

/*
 * Returns the difference between runs for which this share of the group changed by no more than
 * expected.
 */
static double between_by(const struct judging *j, const struct weighted *group, size_t n,
			 double share)
{
	double expected = student_t(1 - share, TAILS), low = 0, high = 8;

	if (!is_beyond(j, group, n, 0, share, expected))
		return 0;
	for (int i = 0; i < 24; i++) {
		double middle = (low + high) / 2;

		if (is_beyond(j, group, n, middle, share, expected))
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * Determines how much rows differ between runs, beyond the known noise inside runs. That depends
 * on how noisy rows are, so rows with similar noise are grouped; the largest estimate over several
 * shares of a group counts.
 */
static void find_between(struct judging *j, struct noise *noise)
{
	static const double shares[] = { 0.5, 0.75, 0.9 };
	size_t n = 0, groups;

	for (size_t row = 0; row < j->n_rows; row++)
		if (j->rows[row].time == NOISE_TIME_UNSEEN)
			j->list[n++] = (struct weighted){
				.value = sqrt(swing_variance(j, row) + inner_variance(j, row)),
				.row = row,
			};
	qsort(j->list, n, sizeof(*j->list), noise_compare_values);
	groups = n / GROUP_LEAST < GROUPS_MAX ? n / GROUP_LEAST : GROUPS_MAX;
	groups = groups ?: 1;
	for (size_t i = 0; i < groups; i++) {
		size_t from = n * i / groups, to = n * (i + 1) / groups;
		double rows = noise->drift_known ? (double)n : 0, between = 0;

		for (size_t k = 0; k < sizeof(shares) / sizeof(*shares) && rows > 0; k++)
			between =
				fmax(between, between_by(j, j->list + from, to - from, shares[k]));
		between = (PRIOR_ROWS * PRIOR_BETWEEN + rows * between) / (PRIOR_ROWS + rows);
		for (size_t k = from; k < to; k++)
			j->betweens[j->list[k].row] = between;
		noise->between = fmax(noise->between, between);
	}
}

/* Returns the variance that is invisible inside a run. */
static double outer_variance(const struct judging *j, size_t row)
{
	return j->betweens[row] * j->betweens[row] + swing_variance(j, row);
}

/* The quantiles of tabulated chances. */
struct tails {
	double between[STEPS], inner[STEPS];
};

static void tails_init(struct tails *tails)
{
	for (int i = 0; i < STEPS; i++) {
		double p = pow(10, -PER_STEP * i);

		tails->between[i] = i ? student_t(p, TAILS) : 0;
		tails->inner[i] = i ? student_t(p, TAILS_INNER) : 0;
	}
}

/* Returns the quantile of chance number @step for the sum of two independent sources of noise. */
static double reach_of(const struct tails *tails, int step, double between, double inner)
{
	return hypot(tails->between[step] * between, tails->inner[step] * inner);
}

static double chance_of(const struct tails *tails, double change, double between, double inner)
{
	int low = 0, high = STEPS - 1;
	double part, from, to;

	if (fabs(change) >= reach_of(tails, high, between, inner))
		return pow(10, -PER_STEP * high);
	while (high - low > 1) {
		int middle = (low + high) / 2;

		if (fabs(change) >= reach_of(tails, middle, between, inner))
			low = middle;
		else
			high = middle;
	}
	from = reach_of(tails, low, between, inner);
	to = reach_of(tails, high, between, inner);
	part = to > from ? (fabs(change) - from) / (to - from) : 0;
	return pow(10, -PER_STEP * (low + part));
}

/* One run on a side: judges by how much rows differ. */
static void judge_by_rows(struct judging *j, struct noise *noise)
{
	struct tails tails;

	find_between(j, noise);
	tails_init(&tails);
	for (size_t row = 0; row < j->n_rows; row++) {
		struct noise_row *r = &j->rows[row];

		if (r->time != NOISE_TIME_UNSEEN)
			continue;
		r->error = sqrt(outer_variance(j, row) + inner_variance(j, row));
		j->chances[row] = chance_of(&tails, r->change, sqrt(outer_variance(j, row)),
					    sqrt(inner_variance(j, row)));
	}
}

/* Several runs per side: judges by how much the row differs between the runs of a side. */
static void judge_by_runs(struct judging *j, struct noise *noise)
{
	double freedom = (double)(j->n_runs - 2);
	double share = 1 / (double)j->n_before + 1 / (double)j->n_after;
	size_t n = 0;

	for (size_t row = 0; row < j->n_rows; row++) {
		const double *means = &j->means[row * j->n_runs];

		if (j->rows[row].time != NOISE_TIME_UNSEEN)
			continue;
		j->chances[row] = (squares_of(means, j->n_before) +
				   squares_of(means + j->n_before, j->n_after)) /
				  freedom;
		j->list[n++] = (struct weighted){ .value = j->chances[row], .weight = 1 };
	}
	noise->between = sqrt(weighted_median(j->list, n));
	if (n < NOISE_ROWS_LEAST)
		noise->between = fmax(noise->between, PRIOR_BETWEEN);
	for (size_t row = 0; row < j->n_rows; row++) {
		struct noise_row *r = &j->rows[row];
		double prior =
			fmax(noise->between * noise->between, inner_variance(j, row) / share);

		if (r->time != NOISE_TIME_UNSEEN)
			continue;
		r->error = sqrt((PRIOR_RUNS * prior + freedom * j->chances[row]) /
				(PRIOR_RUNS + freedom) * share);
		j->chances[row] =
			r->error > 0 ? student_p(r->change / r->error, PRIOR_RUNS + freedom) : 1;
	}
}

/*
 * Benjamini and Hochberg: returns the chance up to which rows are reported. @ret_needed is the
 * chance at which one more row would be.
 */
static double chance_named(struct judging *j, double *ret_needed)
{
	size_t n = 0, named = 0;

	for (size_t row = 0; row < j->n_rows; row++)
		if (j->chances[row] < NEVER)
			j->list[n++] = (struct weighted){ .value = j->chances[row] };
	qsort(j->list, n, sizeof(*j->list), noise_compare_values);
	for (size_t i = 0; i < n; i++)
		if (j->list[i].value <= FALSE_SHARE * (double)(i + 1) / (double)n)
			named = i + 1;
	*ret_needed = fmin(FALSE_SHARE * (double)(named + 1) / (double)(n + 1), CHANCE_MAX);
	return named ? fmin(j->list[named - 1].value, CHANCE_MAX) : -1;
}

static void judge_times(struct judging *j, struct noise *noise)
{
	bool by_runs = j->n_before > 1 && j->n_after > 1;
	double named, needed, t, t_inner;

	for (size_t row = 0; row < j->n_rows; row++) {
		j->rows[row].time = noise_comparable(j, row);
		noise->n_times += j->rows[row].time == NOISE_TIME_UNSEEN;
		j->chances[row] = NEVER;
	}
	take_out_drift(j, noise);
	find_swings(j);
	for (size_t row = 0; row < j->n_rows; row++)
		if (j->rows[row].time == NOISE_TIME_UNSEEN)
			j->rows[row].change = change_of(j, &j->means[row * j->n_runs]);
	if (by_runs)
		judge_by_runs(j, noise);
	else
		judge_by_rows(j, noise);
	named = chance_named(j, &needed);
	t = student_t(needed, by_runs ? PRIOR_RUNS + (double)j->n_runs - 2 : TAILS);
	t_inner = by_runs ? t : student_t(needed, TAILS_INNER);
	for (size_t row = 0; row < j->n_rows; row++) {
		struct noise_row *r = &j->rows[row];

		if (r->time != NOISE_TIME_UNSEEN)
			continue;
		r->least = by_runs ? t * r->error :
				     hypot(t * sqrt(outer_variance(j, row)),
					   t_inner * sqrt(inner_variance(j, row)));
		if (j->chances[row] <= named)
			r->time = r->change > 0 ? NOISE_TIME_SLOWER : NOISE_TIME_FASTER;
	}
}

/* Returns the sum over the runs of a side. */
static double sum_cells(const struct judging *j, size_t row, bool after, bool outermost)
{
	const struct noise_cell *cells = &j->cells[row * j->n_runs];
	double sum = 0;

	for (size_t i = after ? j->n_before : 0; i < (after ? j->n_runs : j->n_before); i++)
		sum += (double)(outermost ? cells[i].outermost : cells[i].calls);
	return sum;
}

/*
 * Determines the share of the later side that chance would produce: even, or like that of events
 * beyond the program's control.
 */
static void shares_of(const struct judging *j, const struct noise_pace *paces, size_t n,
		      double *ret_low, double *ret_high)
{
	double own = log((double)j->n_after / (double)j->n_before), low = own, high = own;

	for (size_t i = 0; i < n; i++) {
		double before = (double)paces[i].before, after = (double)paces[i].after;
		double pace = log((after + PACE_PRIOR) / (before + PACE_PRIOR));

		low = fmin(low, pace);
		high = fmax(high, pace);
	}
	*ret_low = 1 / (1 + exp(-low));
	*ret_high = 1 / (1 + exp(-high));
}

/*
 * The square roots of counts have the same variance for few and many: 1/4 for independent events.
 */
static double count_chance(const struct judging *j, size_t row)
{
	const struct noise_cell *cells = &j->cells[row * j->n_runs];
	double freedom = (double)(j->n_runs - 2), variance;
	double *roots = &j->means[row * j->n_runs];

	for (size_t i = 0; i < j->n_runs; i++)
		roots[i] = sqrt((double)cells[i].calls);
	variance = PRIOR_RUNS * 0.25 + squares_of(roots, j->n_before) +
		   squares_of(roots + j->n_before, j->n_after);
	variance *= (1 / (double)j->n_before + 1 / (double)j->n_after) / (PRIOR_RUNS + freedom);
	return student_p(change_of(j, roots) / sqrt(variance), PRIOR_RUNS + freedom);
}

static void judge_counts(struct judging *j, const struct noise_pace *paces, size_t n_paces,
			 struct noise *noise)
{
	bool by_runs = j->n_before > 1 && j->n_after > 1;
	double named, needed, low, high;

	shares_of(j, paces, n_paces, &low, &high);
	for (size_t row = 0; row < j->n_rows; row++) {
		double before = sum_cells(j, row, false, true),
		       after = sum_cells(j, row, true, true);

		j->chances[row] = NEVER;
		if (by_runs ? before + after == 0 : before + after < COUNT_LEAST)
			continue;
		noise->n_counts++;
		j->chances[row] = by_runs ? count_chance(j, row) :
					    split_p(before, after, low, high);
	}
	named = chance_named(j, &needed);
	for (size_t row = 0; row < j->n_rows; row++) {
		double change = sum_cells(j, row, true, false) / (double)j->n_after -
				sum_cells(j, row, false, false) / (double)j->n_before;

		if (j->chances[row] <= named && change != 0)
			j->rows[row].count = change > 0 ? NOISE_COUNT_MORE : NOISE_COUNT_FEWER;
	}
}

int noise_judge(const struct noise_cell *cells, size_t n_before, size_t n_after,
		const struct noise_pace *paces, size_t n_paces, struct noise_row *rows,
		size_t n_rows, struct noise *ret_noise)
{
	size_t n_runs = n_before + n_after;
	_cleanup_free_ double *means = mem_zalloc(n_rows * n_runs + 1, sizeof(*means));
	_cleanup_free_ double *swings = mem_zalloc(n_runs, sizeof(*swings));
	_cleanup_free_ double *betweens = mem_zalloc(n_rows + 1, sizeof(*betweens));
	_cleanup_free_ double *chances = mem_zalloc(n_rows + 1, sizeof(*chances));
	_cleanup_free_ struct weighted *list = mem_zalloc(n_rows + 1, sizeof(*list));
	struct judging j = { .cells = cells,
			     .n_before = n_before,
			     .n_after = n_after,
			     .n_runs = n_runs,
			     .n_rows = n_rows,
			     .rows = rows,
			     .means = means,
			     .swings = swings,
			     .betweens = betweens,
			     .chances = chances,
			     .list = list };

	*ret_noise = (struct noise){ 0 };
	if (!means || !swings || !betweens || !chances || !list)
		return -ENOMEM;
	judge_times(&j, ret_noise);
	judge_counts(&j, paces, n_paces, ret_noise);
	return 0;
}
