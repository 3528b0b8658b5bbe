/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "base/str.h"
#include "render/kit/amount.h"
#include "render/kit/csv.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"

#define COUNT_MAX 99999999U /* larger ones are shown in millions */
#define CELL_SIZE 48

static struct table_cell *new_cell(struct table *table)
{
	if (mem_reserve(&table->cells, &table->cap, table->n + 1, sizeof(*table->cells)) < 0) {
		table->nomem = true;
		return NULL;
	}
	table->cells[table->n] = (struct table_cell){ 0 };
	return &table->cells[table->n++];
}

void table_number(struct table *table, uint64_t value)
{
	struct table_cell *cell = new_cell(table);

	if (cell)
		cell->number = value;
}

void table_null(struct table *table)
{
	struct table_cell *cell = new_cell(table);

	if (cell)
		cell->is_null = true;
}

void table_known(struct table *table, uint64_t value, bool known)
{
	if (known)
		table_number(table, value);
	else
		table_null(table);
}

void table_text(struct table *table, const char *text)
{
	struct table_cell *cell = new_cell(table);

	if (!cell)
		return;
	cell->text = text ? arena_strdup(&table->arena, text) : NULL;
	cell->is_null = !cell->text;
	if (text && !cell->text)
		table->nomem = true;
}

size_t table_rows(const struct table *table)
{
	return table->n / table->n_columns;
}

void table_done(struct table *table)
{
	arena_done(&table->arena);
	free(table->cells);
	table->cells = NULL;
	table->n = table->cap = 0;
}

static bool table_has_text(const struct table_column *column)
{
	return column->kind == TABLE_TEXT || column->kind == TABLE_WORD;
}

struct sorting {
	const struct table *table;
	size_t first, second;
};

static int compare_cells(const struct table_column *column, const struct table_cell *a,
			 const struct table_cell *b)
{
	if (a->is_null || b->is_null)
		return (int)a->is_null - (int)b->is_null;
	if (table_has_text(column))
		return strcmp(a->text, b->text);
	if (column->kind == TABLE_NUMBER)
		return order_falling(b->number, a->number);
	return order_falling(a->number, b->number);
}

static int table_compare(const void *pa, const void *pb, void *arg)
{
	const struct sorting *sorting = arg;
	const struct table_column *columns = sorting->table->columns;
	size_t n = sorting->table->n_columns;
	const struct table_cell *a = pa, *b = pb;
	int r = 0;

	if (sorting->first < n)
		r = compare_cells(&columns[sorting->first], &a[sorting->first], &b[sorting->first]);
	if (!r && sorting->second < n)
		r = compare_cells(&columns[sorting->second], &a[sorting->second],
				  &b[sorting->second]);
	while (!r && n-- > 0)
		r = compare_cells(&columns[n], &a[n], &b[n]);
	return r;
}

static size_t find_column(const struct table *table, const char *key)
{
	size_t i = 0;

	while (i < table->n_columns &&
	       !(table->columns[i].key && str_eq(table->columns[i].key, key)))
		i++;
	return i;
}

void table_sort(struct table *table, const char *key, const char *then)
{
	struct sorting sorting = { table, find_column(table, key), find_column(table, then) };

	if (table->n && !table->nomem)
		qsort_r(table->cells, table_rows(table), table->n_columns * sizeof(*table->cells),
			table_compare, &sorting);
}

const char *time_text(uint64_t time, bool raw, bool exact, char buf[TIME_TEXT_SIZE])
{
	if (raw)
		snprintf(buf, TIME_TEXT_SIZE, "%" PRIu64, time);
	else if (exact)
		snprintf(buf, TIME_TEXT_SIZE, "%" PRIu64 ".%09" PRIu64, time / 1000000000,
			 time % 1000000000);
	else
		snprintf(buf, TIME_TEXT_SIZE, "%" PRIu64 ".%06" PRIu64, time / 1000000000,
			 time % 1000000000 / 1000);
	return buf;
}

/* Formats thousandths per second as "12.3 k/s". */
static void rate_text(uint64_t rate, char buf[CELL_SIZE])
{
	static const char *const scales[] = { "", "k", "M", "G", "T", "P" };
	double value = (double)rate / 1000;
	unsigned i = 0;

	for (; value >= 999.5 && i + 1 < ARRAY_SIZE(scales); i++)
		value /= 1000;
	snprintf(buf, CELL_SIZE, "%.*f %s/s",
		 value >= 99.95 ? 0 :
		 value >= 9.995 ? 1 :
				  2,
		 value, scales[i]);
}

static unsigned table_width_of(const struct table_column *column)
{
	if (column->width)
		return column->width;
	switch (column->kind) {
	case TABLE_COUNT:
	case TABLE_NUMBER:
		return 8;
	case TABLE_TIME:
		return 17;
	case TABLE_NS:
	case TABLE_RATE:
	case TABLE_BYTES:
	case TABLE_BOOL:
	case TABLE_ADDRESS:
	case TABLE_WORD:
	case TABLE_TEXT:
	case TABLE_CUT:
		break;
	}
	return 9;
}

/* Formats a cell that is not text; "." for a null. */
static void table_format(const struct table *table, const struct table_column *column,
			 const struct table_cell *cell, char buf[CELL_SIZE])
{
	snprintf(buf, CELL_SIZE, ".");
	if (cell->is_null)
		return;
	switch (column->kind) {
	case TABLE_COUNT:
		if (cell->number > COUNT_MAX)
			snprintf(buf, CELL_SIZE, "%.0fM", (double)cell->number / 1e6);
		else
			snprintf(buf, CELL_SIZE, "%" PRIu64, cell->number);
		break;
	case TABLE_NUMBER:
		snprintf(buf, CELL_SIZE, "%" PRId64, (int64_t)cell->number);
		break;
	case TABLE_NS:
		if (cell->number)
			duration_text(cell->number, buf);
		break;
	case TABLE_TIME:
		time_text(cell->number, table->raw_times, false, buf);
		break;
	case TABLE_RATE:
		rate_text(cell->number, buf);
		break;
	case TABLE_BYTES:
		amount_text(cell->number, buf);
		break;
	case TABLE_ADDRESS:
		snprintf(buf, CELL_SIZE, "0x%" PRIx64, cell->number);
		break;
	case TABLE_BOOL:
		snprintf(buf, CELL_SIZE, "%s", cell->number ? "yes" : "no");
		break;
	case TABLE_WORD:
		snprintf(buf, CELL_SIZE, "%s", cell->text);
		break;
	case TABLE_TEXT:
	case TABLE_CUT:
		break;
	}
}

static size_t widest_text(const struct table *table, size_t column, size_t rows)
{
	size_t widest = strlen(table->columns[column].title);

	for (size_t i = 0; i < rows; i++) {
		const struct table_cell *cell = &table->cells[i * table->n_columns + column];
		size_t len = cell->is_null ? 1 : quote_columns(cell->text);

		if (len > widest)
			widest = len;
	}
	return widest;
}

/* Returns the index of the last visible column, which is not padded. */
static size_t last_shown(const struct table *table)
{
	size_t last = 0;

	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].title && table->columns[i].kind != TABLE_CUT)
			last = i;
	return last;
}

static void table_put_row(struct strbuf *buf, const struct table *table,
			  const struct table_cell *cells, const size_t *widths,
			  const struct out *out)
{
	size_t last = last_shown(table);

	for (size_t i = 0; i < table->n_columns; i++) {
		const struct table_column *column = &table->columns[i];
		char text[CELL_SIZE];
		size_t used = 0;

		if (!column->title || column->kind == TABLE_CUT)
			continue;
		if (column->kind == TABLE_TEXT) {
			const char *name = cells[i].is_null ? "." : cells[i].text;

			quote_addf(buf, "  %s", out_style(out, OUT_NAME));
			if (i == last)
				quote_adds(buf, name);
			else
				used = fit_put(buf, out, name, widths[i]);
			quote_adds(buf, out_style(out, OUT_PLAIN));
			if (i != last)
				strbuf_pad(buf, ' ', widths[i] > used ? widths[i] - used : 0);
		} else {
			table_format(table, column, &cells[i], text);
			quote_addf(buf, " %*s", (int)table_width_of(column), text);
		}
	}
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].kind == TABLE_CUT && !cells[i].is_null && cells[i].number)
			quote_addf(buf, "  (%" PRIu64 " %s)", cells[i].number,
				   table->columns[i].title);
	strbuf_addc(buf, '\n');
}

static void table_put_head(struct strbuf *buf, const struct table *table, const size_t *widths,
			   const struct out *out)
{
	size_t last = last_shown(table);

	quote_adds(buf, out_style(out, OUT_TITLE));
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct table_column *column = &table->columns[i];

		if (!column->title || column->kind == TABLE_CUT)
			continue;
		if (column->kind != TABLE_TEXT) {
			quote_addf(buf, " %*s", (int)table_width_of(column), column->title);
			continue;
		}
		quote_addf(buf, "  %s", column->title);
		if (i != last)
			strbuf_pad(buf, ' ',
				   widths[i] > strlen(column->title) ?
					   widths[i] - strlen(column->title) :
					   0);
	}
	quote_addf(buf, "%s\n", out_style(out, OUT_PLAIN));
}

/* Returns the number of rows to show; 0 means all. */
static size_t shown_rows(const struct table *table, size_t rows)
{
	return rows && rows < table_rows(table) ? rows : table_rows(table);
}

/*
 * Returns the space needed by the text at the end of rows, if there is not enough for all of it;
 * without text, that of the ellipsis after the titles.
 */
static unsigned table_text_wanted(const struct table *table, const size_t *widths)
{
	size_t last = last_shown(table), wanted = FIT_TEXT;

	if (table->columns[last].kind != TABLE_TEXT)
		return 2;
	if (table->text_space)
		return table->text_space;
	return (unsigned)(2 + (widths[last] < wanted ? widths[last] : wanted));
}

/* Determines which numbers are shown, and the width of names that are followed by other columns. */
static void table_fit(const struct table *table, size_t *widths, const struct out *out,
		      struct fit *ret_fit)
{
	struct fit_column columns[FIT_COLUMNS_MAX];
	size_t last = last_shown(table), n = 0;
	unsigned end = 0;

	for (size_t i = 0; i < table->n_columns && n < FIT_COLUMNS_MAX; i++) {
		const struct table_column *column = &table->columns[i];
		bool is_text = column->kind == TABLE_TEXT;

		if (!column->title || column->kind == TABLE_CUT || (is_text && i == last))
			continue;
		if (is_text && out->cuts && widths[i] > out->width / 3)
			widths[i] = out->width / 3;
		end += is_text ? 2 + (unsigned)widths[i] : 1 + table_width_of(column);
		columns[n] = (struct fit_column){
			.end = end,
			.rank = is_text || !n ? 0 : column->rank * FIT_COLUMNS_MAX + (unsigned)n
		};
		n++;
	}
	fit_init(ret_fit, out, columns, n, table_text_wanted(table, widths));
}

int table_print(const struct table *table, size_t rows, struct out *out)
{
	_cleanup_free_ size_t *widths = mem_zalloc(table->n_columns, sizeof(*widths));
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	size_t all = table_rows(table);
	struct fit fit;
	int r = 0;

	rows = shown_rows(table, rows);
	if (!widths || table->nomem)
		return -ENOMEM;
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].title && table->columns[i].kind == TABLE_TEXT)
			widths[i] = widest_text(table, i, rows);
	table_fit(table, widths, out, &fit);
	table_put_head(&buf, table, widths, out);
	r = fit_write_head(&fit, &buf);
	for (size_t i = 0; r == 0 && i < rows; i++) {
		table_put_row(&buf, table, &table->cells[i * table->n_columns], widths, out);
		r = fit_write(&fit, &buf);
		if (r == 0 && table->below) {
			table->below(table->below_data, i, &buf);
			r = fit_write_lines(out, &buf);
		}
	}
	if (rows < all) {
		quote_addf(&buf, "%s  (", out_style(out, OUT_FAINT));
		amount_put_count(&buf, all - rows, "other", "others");
		quote_addf(&buf, ")%s\n", out_style(out, OUT_PLAIN));
	}
	return r ?: out_write(out, &buf);
}

static void json_cell(struct json *json, const struct table_column *column,
		      const struct table_cell *cell)
{
	if (cell->is_null)
		json_null(json, column->key);
	else if (table_has_text(column))
		json_string(json, column->key, cell->text);
	else if (column->kind == TABLE_NUMBER)
		json_s64(json, column->key, (int64_t)cell->number);
	else if (column->kind == TABLE_BOOL)
		json_bool(json, column->key, cell->number);
	else if (column->kind == TABLE_ADDRESS)
		json_address(json, column->key, cell->number);
	else if (column->kind == TABLE_RATE)
		json_thousandths(json, column->key, cell->number);
	else
		json_u64(json, column->key, cell->number);
}

void table_json(const struct table *table, struct json *json, const char *key, size_t rows)
{
	rows = table->nomem ? 0 : shown_rows(table, rows);
	json_begin_array(json, key);
	for (size_t i = 0; i < rows; i++) {
		json_begin_object(json, NULL);
		for (size_t k = 0; k < table->n_columns; k++)
			if (table->columns[k].key)
				json_cell(json, &table->columns[k],
					  &table->cells[i * table->n_columns + k]);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_csv_cell(struct strbuf *buf, const struct table_column *column,
			 const struct table_cell *cell)
{
	if (cell->is_null)
		return;
	if (table_has_text(column))
		csv_put_bare(buf, cell->text);
	else if (column->kind == TABLE_NUMBER)
		quote_addf(buf, "%" PRId64, (int64_t)cell->number);
	else if (column->kind == TABLE_BOOL)
		strbuf_adds(buf, cell->number ? "true" : "false");
	else if (column->kind == TABLE_ADDRESS)
		quote_addf(buf, "0x%" PRIx64, cell->number);
	else if (column->kind == TABLE_RATE)
		quote_addf(buf, "%" PRIu64 ".%03" PRIu64, cell->number / 1000, cell->number % 1000);
	else
		quote_addf(buf, "%" PRIu64, cell->number);
}

int table_print_csv(const struct table *table, size_t rows, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const char *comma = "";
	int r = table->nomem ? -ENOMEM : 0;

	rows = shown_rows(table, rows);
	for (size_t k = 0; k < table->n_columns; k++) {
		if (!table->columns[k].key)
			continue;
		quote_addf(&buf, "%s%s", comma, table->columns[k].key);
		comma = ",";
	}
	strbuf_addc(&buf, '\n');
	for (size_t i = 0; r == 0 && i < rows; i++) {
		comma = "";
		for (size_t k = 0; k < table->n_columns; k++) {
			if (!table->columns[k].key)
				continue;
			quote_adds(&buf, comma);
			comma = ",";
			put_csv_cell(&buf, &table->columns[k],
				     &table->cells[i * table->n_columns + k]);
		}
		strbuf_addc(&buf, '\n');
		r = out_write(out, &buf);
	}
	return r ?: out_write(out, &buf);
}
