/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/count/count-rows.h"

#include "base/str.h"
#include "render/count/count-cell.h"

#define MEDIAN 500
#define P99    990
#define SECOND 1000000000U

/* A value as a column: durations have a unit, others do not. */
static void rows_add(struct table *table, const struct count_view *view, const char *key,
		     const char *title, unsigned rank)
{
	const struct count_columns *columns = view->columns;
	const bool is_time = columns->is_time && !view->raw_times;
	const struct table_column column = {
		.key = key,
		.title = title,
		.kind = is_time		   ? TABLE_NS :
			columns->is_signed ? TABLE_NUMBER :
					     TABLE_COUNT,
		.rank = rank,
		.width = is_time ? 0 : 12,
	};

	((struct table_column *)table->columns)[table->n_columns++] = column;
}

static void rows_add_values(struct table *table, const struct count_view *view)
{
	switch (view->plan->what) {
	case COUNT_NUMBER:
		break;
	case COUNT_SUM:
		rows_add(table, view, "sum", "sum", 2);
		break;
	case COUNT_MIN:
		rows_add(table, view, "min", "min", 2);
		break;
	case COUNT_MAX:
		rows_add(table, view, "max", "max", 0);
		break;
	case COUNT_AVG:
		rows_add(table, view, "avg", "avg", 2);
		break;
	case COUNT_STATS:
	case COUNT_HIST:
		rows_add(table, view, "sum", "sum", 2);
		rows_add(table, view, "avg", "avg", 2);
		rows_add(table, view, "min", "min", 2);
		if (view->plan->what == COUNT_HIST) {
			rows_add(table, view, "median", "median", 0);
			rows_add(table, view, "p99", "99%", 0);
		}
		rows_add(table, view, "max", "max", 0);
		break;
	}
}

bool count_rows_rate(const struct count_view *view, const struct count_row *row, uint64_t *ret_rate)
{
	uint64_t count = row->sums.count, time = view->span;
	double rate;

	if (view->before) {
		const struct count_row *before = count_table_find(view->before, row->key);

		count -= before ? before->sums.count : 0;
		time = view->interval;
	}
	if (!time)
		return false;
	rate = (double)count * SECOND * 1000 / (double)time;
	*ret_rate = rate < 1e18 ? (uint64_t)(rate + 0.5) : (uint64_t)1e18;
	return true;
}

static void rows_put_quantile(struct table *table, const struct count_row *row, unsigned part)
{
	uint64_t value = 0;
	bool known = count_cell_quantile(row, part, &value);

	table_known(table, value, known);
}

static void rows_put_values(struct table *table, const struct count_view *view,
			    const struct count_row *row)
{
	const struct count_sums *sums = &row->sums;
	const uint64_t mean = count_cell_mean(sums, view->columns->is_signed);

	switch (view->plan->what) {
	case COUNT_NUMBER:
		break;
	case COUNT_SUM:
		table_number(table, sums->sum);
		break;
	case COUNT_MIN:
		table_number(table, sums->min);
		break;
	case COUNT_MAX:
		table_number(table, sums->max);
		break;
	case COUNT_AVG:
		table_number(table, mean);
		break;
	case COUNT_STATS:
	case COUNT_HIST:
		table_number(table, sums->sum);
		table_number(table, mean);
		table_number(table, sums->min);
		if (view->plan->what == COUNT_HIST) {
			rows_put_quantile(table, row, MEDIAN);
			rows_put_quantile(table, row, P99);
		}
		table_number(table, sums->max);
		break;
	}
}

static void rows_put_key(struct table *table, const struct count_view *view,
			 const struct count_row *row, const struct count_column *column,
			 bool is_data)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (is_data)
		count_cell_put_data(view, row, column, &text);
	else
		count_cell_put(view, row, column, &text);
	table_text(table, strbuf_str(&text));
	table->nomem |= text.err != 0;
}

/* The name of a key in data, where it must differ from those of the values. */
static const char *rows_key_name(struct table *table, const char *key)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		char *other;

		if (!str_eq(table->columns[i].key, key))
			continue;
		other = arena_printf(&table->arena, "key_%s", key);
		table->nomem |= !other;
		return other ?: key;
	}
	return key;
}

void count_rows_fill(const struct count_view *view, bool is_data,
		     struct table_column columns[COUNT_ROW_COLUMNS_MAX], struct table *table)
{
	const struct count_columns *layout = view->columns;

	*table = (struct table){ .columns = columns };
	columns[table->n_columns++] = (struct table_column){ "count", "count", TABLE_COUNT };
	columns[table->n_columns++] = (struct table_column){ "rate", "rate", TABLE_RATE, 1, 0 };
	rows_add_values(table, view);
	for (size_t i = 0; i < layout->n_keys; i++) {
		const struct count_column *key = &layout->keys[i];

		columns[table->n_columns] = (struct table_column){
			.key = rows_key_name(table, key->name),
			.title = key->kind == COUNT_COLUMN_STACK ? NULL : key->name,
			.kind = TABLE_TEXT,
		};
		table->n_columns++;
	}
	for (size_t i = 0; i < view->table->n; i++) {
		const struct count_row *row = &view->table->rows[i];
		uint64_t rate = 0;
		bool known = count_rows_rate(view, row, &rate);

		table_number(table, row->sums.count);
		table_known(table, rate, known);
		rows_put_values(table, view, row);
		for (size_t k = 0; k < layout->n_keys; k++)
			rows_put_key(table, view, row, &layout->keys[k], is_data);
	}
}
