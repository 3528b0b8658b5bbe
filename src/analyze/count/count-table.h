/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The result of a plan: a row per key, with sums and a distribution. Filled from the kernel
 * (count_table_take() is a count_taker) or from a recording. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COUNT_COUNT_TABLE_H
#define FATHOM_ANALYZE_COUNT_COUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/sums/spread.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "count/columns.h"
#include "count/sums.h"

struct count_row {
	const void *key; /* see count/columns.h */
	struct count_sums sums; /* of all bins */
	struct spread spread; /* of values that are not negative; empty unless it is a distribution */
	uint64_t negative; /* number of negative values of the distribution */
};

/* Zero-initialized except for @columns, which is borrowed: empty. */
struct count_table {
	const struct count_columns *columns;
	struct count_row *rows;
	size_t n, cap;
	uint32_t *slots; /* hash table: index in @rows + 1 */
	size_t n_slots;
	struct arena arena; /* owns the keys */
	struct count_losses losses;
};

/* Adds the sums of one key and bin. @data is a struct count_table. Returns 0 or -ENOMEM. */
int count_table_take(void *data, const void *key, unsigned bin, const struct count_sums *sums);
/* Adds one event; @value is ignored unless the columns have a value. Returns 0 or -ENOMEM. */
int count_table_add(struct count_table *table, const void *key, uint64_t value, bool has_spread);
/* Returns the row of @key, or NULL. */
const struct count_row *count_table_find(const struct count_table *table, const void *key);
/* Stores the sums of all rows. */
void count_table_total(const struct count_table *table, struct count_sums *ret_total);

/* Access to columns of a row. */
int64_t count_row_number(const struct count_row *row, const struct count_column *column);
const char *count_row_text(const struct count_row *row, const struct count_column *column);

enum count_order {
	COUNT_BY_TOTAL, /* the largest of what the plan adds up first */
	COUNT_BY_COUNT,
	COUNT_BY_KEY,
};
/* Sorts the rows; ties are broken by key, so that the order is that of the contents alone. */
void count_table_sort(struct count_table *table, enum count_what what, enum count_order order);
void count_table_done(struct count_table *table);
#define _cleanup_count_table_ __attribute__((cleanup(count_table_done)))

#endif
