/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/count/count-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define SLOTS_MIN 64

/* Returns the slot of @key: one that refers to its row, or the free one where it belongs. */
static uint32_t *count_table_slot(const struct count_table *table, const void *key)
{
	size_t size = table->columns->key_size, mask = table->n_slots - 1;
	size_t at = hash_bytes(key, size, hash_seed()) & mask;

	while (table->slots[at] && size &&
	       memcmp(table->rows[table->slots[at] - 1].key, key, size) != 0)
		at = (at + 1) & mask;
	return &table->slots[at];
}

static void count_table_index(struct count_table *table)
{
	memset(table->slots, 0, table->n_slots * sizeof(*table->slots));
	for (size_t i = 0; i < table->n; i++)
		*count_table_slot(table, table->rows[i].key) = (uint32_t)i + 1;
}

/* Keeps at least a quarter of the slots free, including the one for the next row. */
static int count_table_reserve(struct count_table *table)
{
	size_t n_slots = table->n_slots ? table->n_slots * 2 : SLOTS_MIN;
	uint32_t *slots;

	if (table->n >= UINT32_MAX - 1 ||
	    mem_reserve(&table->rows, &table->cap, table->n + 1, sizeof(*table->rows)) < 0)
		return -ENOMEM;
	if ((table->n + 1) * 4 <= table->n_slots * 3)
		return 0;
	slots = mem_zalloc(n_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(table->slots);
	table->slots = slots;
	table->n_slots = n_slots;
	count_table_index(table);
	return 0;
}

/* Returns the row of @key, which is new if there was none, or NULL if memory is exhausted. */
static struct count_row *count_table_row(struct count_table *table, const void *key)
{
	size_t size = table->columns->key_size;
	struct count_row *row;
	uint32_t *slot;
	void *copy;

	if (table->n_slots) {
		slot = count_table_slot(table, key);
		if (*slot)
			return &table->rows[*slot - 1];
	}
	if (count_table_reserve(table) < 0)
		return NULL;
	copy = arena_alloc(&table->arena, size ? size : 1);
	if (!copy)
		return NULL;
	if (size)
		memcpy(copy, key, size);
	row = &table->rows[table->n];
	*row = (struct count_row){ .key = copy };
	*count_table_slot(table, copy) = (uint32_t)++table->n;
	return row;
}

/* Returns whether @a is less than @b, as values of these columns. */
static bool is_less(const struct count_columns *columns, uint64_t a, uint64_t b)
{
	return columns->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static void count_sums_add(struct count_sums *sums, const struct count_columns *columns,
			   const struct count_sums *more)
{
	if (!sums->count || is_less(columns, more->min, sums->min))
		sums->min = more->min;
	if (!sums->count || is_less(columns, sums->max, more->max))
		sums->max = more->max;
	sums->count += more->count;
	sums->sum += more->sum;
}

static int count_row_add(struct count_row *row, const struct count_columns *columns, unsigned bin,
			 const struct count_sums *sums)
{
	if (bin < SPREAD_BINS && spread_add_n(&row->spread, bin, sums->count) < 0)
		return -ENOMEM;
	if (bin == COUNT_BIN_NEGATIVE)
		row->negative += sums->count;
	count_sums_add(&row->sums, columns, sums);
	return 0;
}

int count_table_take(void *data, const void *key, unsigned bin, const struct count_sums *sums)
{
	struct count_table *table = data;
	struct count_row *row;

	if (!sums->count)
		return 0;
	row = count_table_row(table, key);
	return row ? count_row_add(row, table->columns, bin, sums) : -ENOMEM;
}

int count_table_add(struct count_table *table, const void *key, uint64_t value, bool has_spread)
{
	const struct count_columns *columns = table->columns;
	struct count_sums sums = { .count = 1 };
	unsigned bin = COUNT_BIN_NONE;

	if (columns->has_value)
		sums.sum = sums.min = sums.max = value;
	if (has_spread)
		bin = columns->is_signed && (int64_t)value < 0 ? COUNT_BIN_NEGATIVE :
								 spread_bin(value);
	return count_table_take(table, key, bin, &sums);
}

const struct count_row *count_table_find(const struct count_table *table, const void *key)
{
	uint32_t at = table->n_slots ? *count_table_slot(table, key) : 0;

	return at ? &table->rows[at - 1] : NULL;
}

void count_table_total(const struct count_table *table, struct count_sums *ret_total)
{
	struct count_sums total = { 0 };

	for (size_t i = 0; i < table->n; i++)
		count_sums_add(&total, table->columns, &table->rows[i].sums);
	*ret_total = total;
}

int64_t count_row_number(const struct count_row *row, const struct count_column *column)
{
	int64_t number;

	memcpy(&number, (const char *)row->key + column->offset, sizeof(number));
	return number;
}

const char *count_row_text(const struct count_row *row, const struct count_column *column)
{
	return (const char *)row->key + column->offset;
}

/* What qsort_r() passes on. */
struct sorting {
	const struct count_columns *columns;
	enum count_what what;
	enum count_order order;
};

static int compare(const struct count_columns *columns, uint64_t a, uint64_t b)
{
	return is_less(columns, a, b) ? -1 : is_less(columns, b, a);
}

/* Compares sum / count without rounding. */
static int compare_averages(const struct count_columns *columns, const struct count_sums *a,
			    const struct count_sums *b)
{
	__int128 left = columns->is_signed ? (__int128)(int64_t)a->sum : (__int128)a->sum;
	__int128 right = columns->is_signed ? (__int128)(int64_t)b->sum : (__int128)b->sum;

	left *= (int64_t)b->count;
	right *= (int64_t)a->count;
	return left < right ? -1 : left > right;
}

static int compare_totals(const struct sorting *sorting, const struct count_sums *a,
			  const struct count_sums *b)
{
	switch (sorting->order == COUNT_BY_COUNT ? COUNT_NUMBER : sorting->what) {
	case COUNT_SUM:
	case COUNT_STATS:
		return compare(sorting->columns, a->sum, b->sum);
	case COUNT_MIN:
		return compare(sorting->columns, a->min, b->min);
	case COUNT_MAX:
		return compare(sorting->columns, a->max, b->max);
	case COUNT_AVG:
		return compare_averages(sorting->columns, a, b);
	default:
		return (a->count > b->count) - (a->count < b->count);
	}
}

static int compare_column(const struct count_column *column, const struct count_row *a,
			  const struct count_row *b)
{
	int64_t left, right;

	if (column->kind == COUNT_COLUMN_TEXT)
		return memcmp(count_row_text(a, column), count_row_text(b, column), column->size);
	left = count_row_number(a, column);
	right = count_row_number(b, column);
	if (column->is_signed)
		return left < right ? -1 : left > right;
	return (uint64_t)left < (uint64_t)right ? -1 : (uint64_t)left > (uint64_t)right;
}

static int count_row_compare(const void *left, const void *right, void *data)
{
	const struct count_row *a = left, *b = right;
	const struct sorting *sorting = data;
	int r = 0;

	if (sorting->order != COUNT_BY_KEY)
		r = compare_totals(sorting, &b->sums, &a->sums);
	for (size_t i = 0; r == 0 && i < sorting->columns->n_keys; i++)
		r = compare_column(&sorting->columns->keys[i], a, b);
	return r;
}

void count_table_sort(struct count_table *table, enum count_what what, enum count_order order)
{
	struct sorting sorting = { .columns = table->columns, .what = what, .order = order };

	if (!table->n)
		return;
	qsort_r(table->rows, table->n, sizeof(*table->rows), count_row_compare, &sorting);
	count_table_index(table);
}

void count_table_done(struct count_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		spread_done(&table->rows[i].spread);
	free(table->rows);
	free(table->slots);
	arena_done(&table->arena);
	*table = (struct count_table){ .columns = table->columns };
}
