/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws runs from a model of a busy machine: the durations of calls have a heavy tail, whole runs
 * differ, each function varies between runs, the load changes during a run, and in some moments
 * everything takes several times as long. Only the model knows the real changes.
 */
#include "test.h"

#include <math.h>

#include "analyze/compare/noise.h"
#include "base/cleanup.h"
#include "base/mem.h"

#define ROWS	 120
#define RUNS_MAX 12
#define STEPS	 64 /* of the load in a run */
#define RUN_NS	 4000000000ULL

struct model {
	double drift; /* standard deviations, of logarithms: of whole runs, */
	double own; /* of a function between runs, */
	double load; /* and of the part common to all calls at the same time */
	double bursts; /* share of moments in which everything takes 4 times as long */
	double tail; /* share of calls that take up to 50 times as long */
};

static const struct model busy = { .drift = 0.2,
				   .own = 0.01,
				   .load = 0.15,
				   .bursts = 0.05,
				   .tail = 0.03 };
static const struct model quiet = { .drift = 0.02,
				    .own = 0.0005,
				    .load = 0.01,
				    .bursts = 0,
				    .tail = 0.003 };

static uint64_t random_state;

/* Returns a number above 0, at most 1. */
static double uniform(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((double)(random_state >> 33) + 1) / 2147483648.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Properties of a function, the same in all runs. */
struct function {
	double time, width; /* the logarithm of its time, and its variation between calls */
	unsigned calls;
	double from, to; /* when it is called during a run */
};

static struct function functions[ROWS];

static void make_functions(void)
{
	static const unsigned calls[] = { 20, 30, 100, 300, 1000 };

	for (size_t i = 0; i < ROWS; i++) {
		double from = i % 8 == 0 ? 0.9 * uniform() : 0;

		functions[i] = (struct function){ .time = 6 + 6 * uniform(),
						  .width = 0.05 + 0.4 * uniform() * uniform(),
						  .calls = calls[i % 5],
						  .from = from,
						  .to = i % 8 == 0 ? from + 0.03 : 1 };
	}
}

struct load {
	double at[STEPS];
};

static void make_load(const struct model *model, struct load *load)
{
	double level = normal() * model->load, stay = 0.9;

	for (size_t i = 0; i < STEPS; i++) {
		level = stay * level + sqrt(1 - stay * stay) * model->load * normal();
		load->at[i] = level + (uniform() < model->bursts ? log(4) : 0);
	}
}

/* One function in one run; it takes this much longer, as a logarithm. */
static int draw(const struct model *model, const struct function *function, const struct load *load,
		double change, struct time_blocks *blocks)
{
	double own = model->own * normal();
	int r = 0;

	for (unsigned i = 0; i < function->calls && r == 0; i++) {
		double when = function->from +
			      (function->to - function->from) * (i + uniform()) / function->calls;
		double value = function->time + own + change + function->width * normal();

		value += load->at[(size_t)(when * (STEPS - 1))];
		if (uniform() < model->tail)
			value += log(50) * uniform();
		r = time_blocks_add(blocks, (uint64_t)(when * (double)RUN_NS),
				    (uint64_t)exp(value));
	}
	return r;
}

/* Draws a run of all functions into column @run of the cells. Returns 0 or -ENOMEM. */
static int draw_run(const struct model *model, size_t run, size_t n_runs, size_t changed,
		    double change, struct noise_cell *cells)
{
	const struct time_range range = { .known = true, .last = RUN_NS };
	double drift = model->drift * normal();
	struct load load;
	int r = 0;

	make_load(model, &load);
	for (size_t i = 0; i < ROWS && r == 0; i++) {
		struct time_blocks blocks = { 0 };
		/* The number of calls caused by timers and other tasks varies between runs. */
		uint64_t calls = i % 4 ? functions[i].calls :
					 (uint64_t)fmax(functions[i].calls +
								sqrt(functions[i].calls) * normal(),
							0);

		r = draw(model, &functions[i], &load, drift + (i == changed ? change : 0), &blocks);
		cells[i * n_runs + run] =
			(struct noise_cell){ .calls = calls,
					     .outermost = calls,
					     .time = time_blocks_average(&blocks, &range) };
		time_blocks_done(&blocks);
	}
	return r;
}

struct tally {
	unsigned rows, named, counts, found;
};

/*
 * Compares @times times; the function @changed takes 10 % longer after the change. Returns 0 or
 * -ENOMEM.
 */
static int compare(const struct model *model, size_t n_before, size_t n_after, unsigned times,
		   size_t changed, struct tally *tally)
{
	size_t n_runs = n_before + n_after;
	static struct noise_cell cells[ROWS * RUNS_MAX];
	struct noise noise;

	for (unsigned i = 0; i < times; i++) {
		struct noise_row rows[ROWS] = { 0 };
		int r = 0;

		for (size_t run = 0; run < n_runs && r == 0; run++)
			r = draw_run(model, run, n_runs, changed, run >= n_before ? log(1.1) : 0,
				     cells);
		if (r == 0)
			r = noise_judge(cells, n_before, n_after, NULL, 0, rows, ROWS, &noise);
		if (r < 0)
			return r;
		for (size_t row = 0; row < ROWS; row++) {
			bool named = rows[row].time >= NOISE_TIME_SLOWER;

			tally->rows++;
			tally->counts += rows[row].count != NOISE_COUNT_UNSEEN;
			tally->named += named && row != changed;
			tally->found += row == changed && rows[row].time == NOISE_TIME_SLOWER;
		}
	}
	return 0;
}

/* Draws runs, compares them, and prints the result. */
static bool try(const char *what, const struct model *model, size_t n, unsigned times,
		size_t changed, struct tally *ret_tally)
{
	*ret_tally = (struct tally){ 0 };
	random_state = 20261117;
	make_functions();
	if (changed < ROWS)
		functions[changed].width = 0.1;
	if (compare(model, n, n, times, changed, ret_tally) < 0) {
		assert_true(mem_fault);
		return false;
	}
	print_message("%s, %zu and %zu runs: %u false times and %u false counts of %u rows", what,
		      n, n, ret_tally->named, ret_tally->counts, ret_tally->rows);
	if (changed < ROWS)
		print_message("; 10 %% of %u calls found in %u of %u", functions[changed].calls,
			      ret_tally->found, times);
	print_message("\n");
	return true;
}

/* At most one row in a thousand. */
static void identical_runs_do_not_differ(void **state)
{
	struct tally tally;

	for (size_t n = 1; n <= 5; n += 2) {
		if (try("busy", &busy, n, n == 1 ? 40 : 10, ROWS, &tally)) {
			assert_true(tally.named * 1000 <= tally.rows);
			assert_true(tally.counts * 1000 <= tally.rows);
		}
		if (try("quiet", &quiet, n, n == 1 ? 40 : 10, ROWS, &tally)) {
			assert_true(tally.named * 1000 <= tally.rows);
			assert_true(tally.counts * 1000 <= tally.rows);
		}
	}
}

/* 30, 100 and 1,000 calls of a function that varies by 10 % from call to call. */
static void a_change_of_ten_percent_is_found(void **state)
{
	static const size_t changed[] = { 1, 2, 4 };
	struct tally tally;

	for (size_t i = 0; i < 3; i++) {
		for (size_t n = 1; n <= 5; n += 2)
			if (try("quiet", &quiet, n, 20, changed[i], &tally) &&
			    (i == 2 ? n >= 3 : i == 1 && n == 5))
				assert_in_range(tally.found, 19, 20);
		try("busy", &busy, 1, 20, changed[i], &tally);
		try("busy", &busy, 6, 20, changed[i], &tally);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identical_runs_do_not_differ),
		cmocka_unit_test(a_change_of_ten_percent_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
