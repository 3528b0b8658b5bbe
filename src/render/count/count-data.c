/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON and CSV. */
#include "render/count/count-view.h"

#include <errno.h>

#include "render/chart/histogram.h"
#include "render/count/count-cell.h"
#include "render/count/count-rows.h"
#include "render/kit/json-document.h"

#define MEDIAN 500
#define P99    990

static const char *const aggregators[] = {
	[COUNT_NUMBER] = "count", [COUNT_SUM] = "sum", [COUNT_MIN] = "min",
	[COUNT_MAX] = "max",	  [COUNT_AVG] = "avg", [COUNT_STATS] = "stats",
	[COUNT_HIST] = "hist",
};

static void data_put_stack(struct json *json, const struct count_view *view,
			   const struct count_column *column, int64_t id)
{
	uint64_t addresses[COUNT_FRAMES_MAX];
	size_t n = view->names && id >= 0 ?
			   view->names->stack(view->names->data, id, addresses, COUNT_FRAMES_MAX) :
			   0;

	json_begin_array(json, column->name);
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf frame = { 0 };

		count_cell_put_frame(view, id, i, addresses[i], &frame);
		json_string(json, NULL, strbuf_str(&frame));
	}
	json_end_array(json);
}

static void data_put_key(struct json *json, const struct count_view *view,
			 const struct count_row *row, const struct count_column *column)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	switch (column->kind) {
	case COUNT_COLUMN_NUMBER:
		if (column->is_signed)
			json_s64(json, column->name, count_row_number(row, column));
		else
			json_u64(json, column->name, (uint64_t)count_row_number(row, column));
		break;
	case COUNT_COLUMN_STACK:
		data_put_stack(json, view, column, count_row_number(row, column));
		break;
	case COUNT_COLUMN_TEXT:
		json_string(json, column->name, count_row_text(row, column));
		break;
	case COUNT_COLUMN_ADDRESS:
	case COUNT_COLUMN_EVENT:
		count_cell_put_data(view, row, column, &text);
		json_string(json, column->name, strbuf_str(&text));
		break;
	}
}

static void data_put_value(struct json *json, const struct count_view *view, const char *key,
			   uint64_t value)
{
	if (view->columns->is_signed)
		json_s64(json, key, (int64_t)value);
	else
		json_u64(json, key, value);
}

static void data_put_quantile(struct json *json, const struct count_row *row, const char *key,
			      unsigned part)
{
	uint64_t value = 0;

	if (count_cell_quantile(row, part, &value))
		json_u64(json, key, value);
	else
		json_null(json, key);
}

static void data_put_spread(struct json *json, const struct count_row *row)
{
	struct histogram_row rows[HISTOGRAM_ROWS];
	size_t n = histogram_rows(&row->spread, rows);

	data_put_quantile(json, row, "median", MEDIAN);
	data_put_quantile(json, row, "p99", P99);
	json_u64(json, "negative_count", row->negative);
	json_begin_array(json, "histogram");
	for (size_t i = 0; i < n; i++) {
		json_begin_object(json, NULL);
		json_u64(json, "from", rows[i].from);
		if (rows[i].to)
			json_u64(json, "to", rows[i].to);
		else
			json_null(json, "to");
		json_u64(json, "count", rows[i].count);
		json_end_object(json);
	}
	json_end_array(json);
}

static void data_put_values(struct json *json, const struct count_view *view,
			    const struct count_row *row)
{
	const enum count_what what = view->plan->what;
	const bool all = what == COUNT_STATS || what == COUNT_HIST;
	const struct count_sums *sums = &row->sums;

	if (all || what == COUNT_SUM)
		data_put_value(json, view, "sum", sums->sum);
	if (all || what == COUNT_AVG)
		data_put_value(json, view, "avg", count_cell_mean(sums, view->columns->is_signed));
	if (all || what == COUNT_MIN)
		data_put_value(json, view, "min", sums->min);
	if (all || what == COUNT_MAX)
		data_put_value(json, view, "max", sums->max);
	if (what == COUNT_HIST)
		data_put_spread(json, row);
}

static void data_put_row(struct json *json, const struct count_view *view,
			 const struct count_row *row)
{
	uint64_t rate = 0;

	json_begin_object(json, NULL);
	json_begin_object(json, "keys");
	for (size_t k = 0; k < view->columns->n_keys; k++)
		data_put_key(json, view, row, &view->columns->keys[k]);
	json_end_object(json);
	json_u64(json, "count", row->sums.count);
	if (count_rows_rate(view, row, &rate))
		json_thousandths(json, "rate", rate);
	else
		json_null(json, "rate");
	data_put_values(json, view, row);
	json_end_object(json);
}

static void data_put_losses(struct json *json, const struct count_losses *losses)
{
	json_begin_object(json, "losses");
	json_u64(json, "full_count", losses->full);
	json_u64(json, "not_begun_count", losses->not_begun);
	json_u64(json, "missed_count", losses->missed);
	json_u64(json, "unpaired_count", losses->unpaired);
	json_u64(json, "open_count", losses->open);
	json_u64(json, "unread_count", losses->unread);
	json_u64(json, "no_stack_count", losses->no_stack);
	json_end_object(json);
}

static void data_put_span(struct json *json, const char *key, uint64_t span)
{
	if (span)
		json_u64(json, key, span);
	else
		json_null(json, key);
}

int count_print_json(const struct count_view *view, bool pretty, struct out *out)
{
	const struct count_losses *losses = &view->table->losses;
	const struct count_plan *plan = view->plan;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct completeness completeness;
	struct count_sums total;
	struct json json;

	count_table_total(view->table, &total);
	json_document_begin(&json, &buf, pretty);
	json_string(&json, "what", view->what);
	json_string(&json, "aggregator", aggregators[plan->what]);
	json_string(&json, "value", plan->is_latency ? "latency" : plan->value);
	json_string(&json, "unit", view->columns->is_time && !view->raw_times ? "ns" : NULL);
	json_begin_array(&json, "by");
	for (size_t i = 0; i < plan->n_keys; i++)
		json_string(&json, NULL, plan->keys[i]);
	json_end_array(&json);
	json_bool(&json, "is_total", view->is_total);
	data_put_span(&json, "span_ns", view->span);
	data_put_span(&json, "interval_ns", view->before ? view->interval : 0);
	json_u64(&json, "event_count", total.count);
	json_u64(&json, "row_count", view->table->n);
	json_begin_array(&json, "rows");
	for (size_t i = 0; i < view->table->n && (!view->rows || i < view->rows); i++)
		data_put_row(&json, view, &view->table->rows[i]);
	json_end_array(&json);
	data_put_losses(&json, losses);
	completeness = out->completeness;
	completeness.uncounted |= losses->full || losses->not_begun || losses->missed;
	json_document_end(&json, &completeness);
	return out_write(out, &buf);
}

int count_print_csv(const struct count_view *view, struct out *out)
{
	struct table_column columns[COUNT_ROW_COLUMNS_MAX];
	_cleanup_(table_done) struct table table;

	count_rows_fill(view, true, columns, &table);
	return table_print_csv(&table, view->rows, out);
}
