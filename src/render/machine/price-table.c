/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/machine/price-table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "record/plan.h"
#include "render/kit/duration.h"
#include "render/kit/table.h"

#define PERCENT_NS 1e7 /* one percent of a second */

static const struct {
	const char *id, *title;
} names[PROBE_COST_KINDS] = {
	[PROBE_COST_EVENT] = { "event", "event" },
	[PROBE_COST_FUNCTION] = { "function", "function call (function)" },
	[PROBE_COST_GRAPH_CALL] = { "function_graph", "function call (function_graph)" },
	[PROBE_COST_KPROBE] = { "kprobe", "kprobe" },
	[PROBE_COST_KRETPROBE] = { "kretprobe", "kretprobe" },
	[PROBE_COST_FPROBE] = { "fprobe", "fprobe" },
	[PROBE_COST_FPROBE_RETURN] = { "fprobe_return", "fprobe, return" },
	[PROBE_COST_UPROBE] = { "uprobe", "uprobe" },
	[PROBE_COST_URETPROBE] = { "uretprobe", "uretprobe" },
	[PROBE_COST_WATCHPOINT] = { "watchpoint", "watchpoint hit" },
};

static const struct table_column columns[] = {
	{ "kind", NULL, TABLE_TEXT },
	{ NULL, "KIND", TABLE_TEXT },
	{ "cost_ns", "EACH", TABLE_NS },
	{ NULL, "AT 1,000/s", TABLE_TEXT },
	{ "one_percent_per_second", NULL, TABLE_COUNT },
	{ NULL, "1 % OF A CPU", TABLE_TEXT },
};

/* Estimates are rounded to two significant digits. */
static uint64_t price_table_rounded(double value)
{
	double unit = 1;

	while (value / unit >= 100)
		unit *= 10;
	return (uint64_t)(round(value / unit) * unit);
}

static void price_table_fill(struct table *table, const struct price_table *prices)
{
	double scale = event_price_scale_of(prices->syscall_ns);

	for (unsigned kind = 0; kind < PROBE_COST_KINDS; kind++) {
		double ns = probe_cost_ns(kind) * scale;
		uint64_t rate = ns > 0 ? price_table_rounded(PERCENT_NS / ns) : 0;
		char text[64];

		if (!prices->kinds[kind] || !names[kind].id)
			continue;
		table_text(table, names[kind].id);
		table_text(table, names[kind].title);
		table_number(table, price_table_rounded(ns));
		snprintf(text, sizeof(text), "%.2g %% of a CPU", ns * 1000 / PERCENT_NS);
		table_text(table, text);
		table_number(table, rate);
		snprintf(text, sizeof(text), "%" PRIu64 "/s", rate);
		table_text(table, text);
	}
}

int price_table_print(const struct price_table *prices, struct out *out)
{
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns) };
	char text[256], time[DURATION_SIZE];
	int r;

	price_table_fill(&table, prices);
	r = table.nomem ? -ENOMEM : table_print(&table, 0, out);
	if (r < 0)
		return r;
	snprintf(text, sizeof(text),
		 "Estimates from docs/cost.md, scaled to this machine: an untraced system call "
		 "takes %s.",
		 duration_text((uint64_t)prices->syscall_ns, time));
	out_wrap(out, 0, 0, text);
	return 0;
}

void price_table_json(const struct price_table *prices, struct json *json, const char *key)
{
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns) };

	price_table_fill(&table, prices);
	json_begin_object(json, key);
	json_thousandths(json, "syscall_ns", (uint64_t)(prices->syscall_ns * 1000));
	table_json(&table, json, "estimates", 0);
	if (table.nomem)
		json->buf->err = -ENOMEM;
	json_end_object(json);
}
