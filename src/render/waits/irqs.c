/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/irqs.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/kit/table.h"

#define MEDIAN 500
#define P99    990

static const char *const kinds[] = {
	[IRQ_DEVICE] = "irq",
	[IRQ_VECTOR] = "vector",
	[IRQ_SOFT] = "softirq",
};

static void irqs_put_row(struct table *table, const struct irq_row *row)
{
	const struct instance *slowest = &row->took.slowest.list[0];
	bool ran = row->took.count > 0, waited = row->waited.count > 0;
	_cleanup_strbuf_ struct strbuf name = { 0 };

	quote_adds(&name, kinds[row->kind]);
	if (row->kind != IRQ_SOFT || !row->name)
		quote_addf(&name, " %" PRId64, row->number);
	if (row->name)
		quote_addf(&name, " %s", row->name);
	table_number(table, row->took.total + row->took_partial);
	table_number(table, row->took_partial);
	table_number(table, row->took.count);
	table_known(table, row->took.min, ran);
	table_known(table, latency_quantile(&row->took, MEDIAN), row->took.count > 0);
	table_known(table, latency_quantile(&row->took, P99), row->took.count > 0);
	table_known(table, row->took.max, ran);
	table_known(table, slowest->start, ran);
	table_number(table, row->waited.count);
	table_known(table, row->waited.total + row->waited_partial, waited || row->waited_partial);
	table_number(table, row->waited_partial);
	table_known(table, latency_quantile(&row->waited, MEDIAN), row->waited.count > 0);
	table_known(table, latency_quantile(&row->waited, P99), row->waited.count > 0);
	table_known(table, row->waited.max, waited);
	table_known(table, row->waited.slowest.list[0].start, waited);
	table_known(table, row->cpu, row->cpu != IRQS_ALL_CPUS);
	table_text(table, strbuf_str(&name));
	table_text(table, kinds[row->kind]);
	table_number(table, (uint64_t)row->number);
	table_text(table, row->name);
	table_number(table, row->cut);
	table->nomem |= name.err != 0;
}

int irqs_print(const struct irqs *irqs, const struct irqs_view *view, struct out *out)
{
	static const char *const keys[] = {
		[IRQS_BY_TOTAL] = "total_ns",	[IRQS_BY_COUNT] = "count", [IRQS_BY_MAX] = "max_ns",
		[IRQS_BY_WAIT] = "wait_max_ns", [IRQS_BY_NAME] = "name",
	};
	const struct table_column columns[] = {
		{ "total_ns", "total", TABLE_NS },
		{ "partial_ns", NULL, TABLE_NS },
		{ "count", "count", TABLE_COUNT },
		{ "min_ns", NULL, TABLE_NS },
		{ "median_ns", "median", TABLE_NS },
		{ "p99_ns", "99%", TABLE_NS },
		{ "max_ns", "max", TABLE_NS },
		{ "slowest_time_ns", NULL, TABLE_TIME },
		{ "wait_count", NULL, TABLE_COUNT },
		{ "wait_total_ns", NULL, TABLE_NS },
		{ "wait_partial_ns", NULL, TABLE_NS },
		{ "wait_median_ns", "wait med", TABLE_NS },
		{ "wait_p99_ns", "wait 99%", TABLE_NS },
		{ "wait_max_ns", "wait max", TABLE_NS },
		{ "wait_slowest_time_ns", NULL, TABLE_TIME },
		{ "cpu", irqs->by_cpu ? "CPU" : NULL, TABLE_NUMBER },
		{ NULL, "interrupt", TABLE_TEXT },
		{ "kind", NULL, TABLE_TEXT },
		{ "number", NULL, TABLE_NUMBER },
		{ "name", NULL, TABLE_TEXT },
		{ "incomplete_count", "more incomplete", TABLE_CUT },
	};
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns),
						     .raw_times = view->raw_times };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	for (size_t i = 0; i < irqs->n; i++)
		if (irq_row_is_seen(&irqs->list[i]))
			irqs_put_row(&table, &irqs->list[i]);
	table_sort(&table, keys[view->order], "count");
	if (view->csv)
		return table_print_csv(&table, view->rows, out);
	if (!view->json)
		return table_print(&table, view->rows, out);
	json_document_begin(&json, &buf, true);
	table_json(&table, &json, "interrupts", view->rows);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf) ?: table.nomem ? -ENOMEM : 0;
}
