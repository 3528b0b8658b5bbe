/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/count/count-table.h"

/* A key: the name of a task, and a number. */
struct key {
	char comm[COUNT_COMM_SIZE];
	int64_t number;
};

static const struct count_columns keyed = {
	.keys = { { .name = "comm", .kind = COUNT_COLUMN_TEXT, .size = 16 },
		  { .name = "ret", .is_signed = true, .offset = 16, .size = 8 } },
	.n_keys = 2,
	.key_size = sizeof(struct key),
	.has_value = true,
	.is_signed = true,
};
static const struct count_columns bare;

static int add(struct count_table *table, const char *comm, int64_t number, int64_t value)
{
	struct key key = { .number = number };

	snprintf(key.comm, sizeof(key.comm), "%s", comm);
	return count_table_add(table, &key, (uint64_t)value, true);
}

static const struct count_row *find(const struct count_table *table, const char *comm,
				    int64_t number)
{
	struct key key = { .number = number };

	snprintf(key.comm, sizeof(key.comm), "%s", comm);
	return count_table_find(table, &key);
}

static void sums(const struct count_row *row, uint64_t count, int64_t sum, int64_t min, int64_t max)
{
	assert_non_null(row);
	assert_int_equal(row->sums.count, count);
	assert_int_equal(row->sums.sum, sum);
	assert_int_equal(row->sums.min, min);
	assert_int_equal(row->sums.max, max);
}

static int fill(struct count_table *table)
{
	int r = add(table, "a", 1, 5);

	if (r == 0)
		r = add(table, "a", -1, -7);
	if (r == 0)
		r = add(table, "a", 1, -2);
	if (r == 0)
		r = add(table, "b", 1, 100);
	return r;
}

static void adds_events_by_key(void **state)
{
	struct count_table table = { .columns = &keyed };
	struct count_sums total;

	assert_null(find(&table, "a", 1));
	if (succeeds(fill(&table) == 0)) {
		assert_int_equal(table.n, 3);
		sums(find(&table, "a", 1), 2, 3, -2, 5);
		sums(find(&table, "a", -1), 1, -7, -7, -7);
		sums(find(&table, "b", 1), 1, 100, 100, 100);
		assert_null(find(&table, "b", 2));
		assert_int_equal(find(&table, "a", 1)->negative, 1);
		assert_int_equal(spread_total(&find(&table, "a", 1)->spread), 1);
		assert_int_equal(find(&table, "a", -1)->negative, 1);
		assert_int_equal(spread_total(&find(&table, "a", -1)->spread), 0);
		assert_string_equal(count_row_text(find(&table, "b", 1), &keyed.keys[0]), "b");
		assert_int_equal(count_row_number(find(&table, "a", -1), &keyed.keys[1]), -1);
		count_table_total(&table, &total);
		assert_int_equal(total.count, 4);
		assert_int_equal(total.sum, 96);
		assert_int_equal((int64_t)total.min, -7);
		assert_int_equal(total.max, 100);
	}
	count_table_done(&table);
	assert_ptr_equal(table.columns, &keyed);
}

/* The bins of a key arrive one by one, in any order. */
static void takes_bins(void **state)
{
	struct count_table events = { .columns = &keyed }, bins = { .columns = &keyed };
	const struct key key = { .comm = "x", .number = 3 };
	const struct count_sums high = { .count = 2, .sum = 3000, .min = 1500, .max = 1500 };
	const struct count_sums low = { .count = 1, .sum = 4, .min = 4, .max = 4 };
	const struct count_sums negative = {
		.count = 2, .sum = (uint64_t)-9, .min = (uint64_t)-5, .max = (uint64_t)-4
	};
	const struct count_sums none = { .min = (uint64_t)-100 };
	int r = 0;

	if (count_table_take(&bins, &key, spread_bin(1500), &high) < 0 ||
	    count_table_take(&bins, &key, COUNT_BIN_NEGATIVE, &negative) < 0 ||
	    count_table_take(&bins, &key, spread_bin(9), &none) < 0 ||
	    count_table_take(&bins, &key, spread_bin(4), &low) < 0)
		r = -ENOMEM;
	for (size_t i = 0; i < 5 && r == 0; i++)
		r = add(&events, "x", 3, (const int64_t[]){ 4, -5, 1500, -4, 1500 }[i]);
	if (succeeds(r == 0)) {
		const struct count_row *a = find(&events, "x", 3), *b = find(&bins, "x", 3);

		sums(b, 5, 2995, -5, 1500);
		assert_memory_equal(&a->sums, &b->sums, sizeof(a->sums));
		assert_int_equal(b->negative, 2);
		assert_int_equal(b->spread.n, a->spread.n);
		assert_memory_equal(a->spread.counts, b->spread.counts,
				    a->spread.n * sizeof(*a->spread.counts));
	}
	count_table_done(&events);
	count_table_done(&bins);
}

static void works_without_keys_and_value(void **state)
{
	struct count_table table = { .columns = &bare };
	int r = 0;

	assert_null(count_table_find(&table, NULL));
	for (size_t i = 0; i < 3 && r == 0; i++)
		r = count_table_add(&table, NULL, 77, false);
	if (succeeds(r == 0)) {
		assert_int_equal(table.n, 1);
		sums(count_table_find(&table, NULL), 3, 0, 0, 0);
		assert_int_equal(table.rows[0].spread.n, 0);
		count_table_sort(&table, COUNT_NUMBER, COUNT_BY_TOTAL);
		assert_int_equal(table.n, 1);
	}
	count_table_done(&table);
}

static void holds_many_keys(void **state)
{
	struct count_table table = { .columns = &keyed };
	int r = 0;

	require_memory();
	for (int64_t i = 0; i < 20000 && r == 0; i++)
		r = add(&table, i % 2 ? "odd" : "even", i % 10000 - 5000, i);
	assert_int_equal(r, 0);
	assert_int_equal(table.n, 10000);
	count_table_sort(&table, COUNT_SUM, COUNT_BY_KEY);
	for (int64_t i = 0; i < 10000; i++)
		sums(find(&table, i % 2 ? "odd" : "even", i - 5000), 2, 2 * i + 10000, i,
		     i + 10000);
	count_table_done(&table);
}

static void order(struct count_table *table, enum count_what what, enum count_order by,
		  const char *numbers)
{
	char text[8] = "";

	count_table_sort(table, what, by);
	for (size_t i = 0; i < table->n; i++)
		text[i] = (char)('0' + count_row_number(&table->rows[i], &keyed.keys[1]));
	assert_string_equal(text, numbers);
}

static void sorts(void **state)
{
	static const struct {
		int64_t number, value;
	} events[] = { { 1, -5 },  { 1, 1000 }, { 2, 400 }, { 2, 300 }, { 2, 300 },
		       { 3, 600 }, { 4, -1 },	{ 4, -1 },  { 4, -1 },	{ 5, 600 } };
	struct count_table table = { .columns = &keyed };
	int r = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && r == 0; i++)
		r = add(&table, "t", events[i].number, events[i].value);
	if (succeeds(r == 0)) {
		order(&table, COUNT_NUMBER, COUNT_BY_TOTAL, "24135");
		order(&table, COUNT_SUM, COUNT_BY_TOTAL, "21354");
		order(&table, COUNT_STATS, COUNT_BY_TOTAL, "21354");
		order(&table, COUNT_MIN, COUNT_BY_TOTAL, "35241");
		order(&table, COUNT_MAX, COUNT_BY_TOTAL, "13524");
		order(&table, COUNT_AVG, COUNT_BY_TOTAL, "35124");
		order(&table, COUNT_HIST, COUNT_BY_TOTAL, "24135");
		order(&table, COUNT_SUM, COUNT_BY_COUNT, "24135");
		order(&table, COUNT_SUM, COUNT_BY_KEY, "12345");
		sums(find(&table, "t", 4), 3, -3, -1, -1);
	}
	count_table_done(&table);
}

static int fill_and_free(void *arg)
{
	struct count_table table = { .columns = &keyed };
	int r = fill(&table);

	count_table_done(&table);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(fill_and_free, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_events_by_key),
		cmocka_unit_test(takes_bins),
		cmocka_unit_test(works_without_keys_and_value),
		cmocka_unit_test(holds_many_keys),
		cmocka_unit_test(sorts),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
