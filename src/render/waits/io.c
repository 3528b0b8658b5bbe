/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/io.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/kit/device.h"
#include "render/kit/fit.h"
#include "render/chart/heat.h"
#include "render/kit/table.h"

#define MEDIAN 500
#define P99    990

static void io_put_row(struct table *table, const struct io_row *row, bool is_part)
{
	const struct instance *slowest = &row->took.slowest.list[0];
	_cleanup_strbuf_ struct strbuf device = { 0 };

	device_put(&device, row->device);
	table_number(table, row->took.total + row->took_partial);
	table_number(table, row->took_partial);
	table_number(table, row->count);
	table_number(table, row->bytes);
	table_number(table, row->errors);
	table_known(table, row->took.min, row->count > 0);
	table_known(table, latency_quantile(&row->took, MEDIAN), row->took.count > 0);
	table_known(table, latency_quantile(&row->took, P99), row->took.count > 0);
	table_known(table, row->took.max, row->count > 0);
	table_known(table, slowest->start, row->count > 0);
	table_known(table, (uint64_t)(int64_t)slowest->pid, row->count > 0);
	table_number(table, row->queued.count);
	table_known(table, row->queued.total + row->queued_partial,
		    row->queued.count > 0 || row->queued_partial);
	table_number(table, row->queued_partial);
	table_known(table, latency_quantile(&row->queued, MEDIAN), row->queued.count > 0);
	table_known(table, latency_quantile(&row->queued, P99), row->queued.count > 0);
	table_known(table, row->queued.max, row->queued.count > 0);
	table_known(table, row->depth, !is_part);
	table_text(table, strbuf_str(&device));
	table->nomem |= device.err != 0;
	table_text(table, device_operation(row->operation));
	table_number(table, row->requeued);
	table_number(table, row->merged);
	table_number(table, row->cut);
}

static const struct table_column columns[] = {
	{ "total_ns", NULL, TABLE_NS },
	{ "partial_ns", NULL, TABLE_NS },
	{ "count", "count", TABLE_COUNT },
	{ "bytes", "bytes", TABLE_BYTES },
	{ "error_count", "errors", TABLE_COUNT },
	{ "min_ns", NULL, TABLE_NS },
	{ "median_ns", "median", TABLE_NS },
	{ "p99_ns", "99%", TABLE_NS },
	{ "max_ns", "max", TABLE_NS },
	{ "slowest_time_ns", NULL, TABLE_TIME },
	{ "slowest_pid", NULL, TABLE_NUMBER },
	{ "queued_count", NULL, TABLE_COUNT },
	{ "queue_total_ns", NULL, TABLE_NS },
	{ "queue_partial_ns", NULL, TABLE_NS },
	{ "queue_median_ns", "queue med", TABLE_NS },
	{ "queue_p99_ns", NULL, TABLE_NS },
	{ "queue_max_ns", "queue max", TABLE_NS },
	{ "depth", "depth", TABLE_COUNT },
	{ "device", "device", TABLE_TEXT },
	{ "operation", "operation", TABLE_TEXT },
	{ "requeued_count", "requeued", TABLE_CUT },
	{ "merged_count", "merged", TABLE_CUT },
	{ "incomplete_count", "more incomplete", TABLE_CUT },
};

static int io_print_json(const struct table *table, const struct io *io, const struct io_view *view,
			 struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin(&json, &buf, true);
	json_bool(&json, "is_partial", io->is_part);
	table_json(table, &json, "requests", view->rows);
	heat_json(&io->heat, &json, "heat_map");
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf) ?: table->nomem ? -ENOMEM : 0;
}

static int io_print_text(const struct table *table, struct io *io, const struct io_view *view,
			 struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct out plain = *out;
	int r = table_print(table, view->rows, out);

	if (r == 0 && io->is_part) {
		strbuf_adds(&buf,
			    "\nrecording limited to some tasks: requests issued by kernel threads, "
			    "and completions that interrupted other tasks, are missing\n");
		r = out_write_wrapped(out, &buf);
	}
	if (r < 0 || !view->with_map || !io->heat.width)
		return r;
	plain.utf8 = out->utf8 && !view->ascii;
	quote_addf(&buf, "\n%sLatency over time%s\n", out_style(out, OUT_TITLE),
		   out_style(out, OUT_PLAIN));
	heat_put(&buf, &io->heat, view->raw_times, &plain);
	return fit_write_lines(out, &buf);
}

int io_print(struct io *io, const struct io_view *view, struct out *out)
{
	static const char *const keys[] = {
		[IO_BY_TOTAL] = "total_ns", [IO_BY_COUNT] = "count", [IO_BY_BYTES] = "bytes",
		[IO_BY_MAX] = "max_ns",	    [IO_BY_NAME] = "device",
	};
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns),
						     .raw_times = view->raw_times };

	for (size_t i = 0; i < io->n; i++) {
		const struct io_row *row = &io->list[i];

		if (io_row_is_seen(row))
			io_put_row(&table, row, io->is_part);
	}
	table_sort(&table, keys[view->order], view->order == IO_BY_NAME ? "operation" : "count");
	if (view->json)
		return io_print_json(&table, io, view, out);
	return view->csv ? table_print_csv(&table, view->rows, out) :
			   io_print_text(&table, io, view, out);
}
