/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analyze/calls/call-view.h"
#include "base/cleanup.h"
#include "base/quote.h"
#include "render/kit/table.h"

#define MEDIAN	500
#define P99	990
#define SECOND	1000000000U
#define N(list) (sizeof(list) / sizeof((list)[0]))

/*
 * Adds the number of events per second, in thousandths, between the first and the last of all; null
 * if these have the same time.
 */
static void put_rate(struct table *table, uint64_t n, const struct stats_view *view)
{
	uint64_t time = view->last - view->first;
	double rate;

	if (view->raw_times || !time) {
		table_null(table);
		return;
	}
	rate = (double)n * SECOND * 1000 / (double)time;
	table_number(table, rate < 1e18 ? (uint64_t)(rate + 0.5) : (uint64_t)1e18);
}

/* The default order of rows, and the key for the order by name. */
struct keys {
	const char *by, *usual, *name;
};

static const char *order_key(enum stats_order order, const struct keys *names)
{
	static const char *const keys[] = {
		[STATS_BY_TOTAL] = "total_ns",
		[STATS_BY_OWN] = "self_ns",
		[STATS_BY_COUNT] = "count",
		[STATS_BY_MAX] = "max_ns",
	};

	return order == STATS_BY_DEFAULT ? names->usual :
	       order == STATS_BY_NAME	 ? names->name :
					   keys[order];
}

static int stats_print_json(const struct table *table, const char *by,
			    const struct stats_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin(&json, &buf, true);
	json_string(&json, "by", by);
	json_u64(&json, "event_count", view->events);
	if (view->has_times) {
		json_u64(&json, "first_time_ns", view->first);
		json_u64(&json, "last_time_ns", view->last);
	} else {
		json_null(&json, "first_time_ns");
		json_null(&json, "last_time_ns");
	}
	table_json(table, &json, "rows", view->rows);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf) ?: table->nomem ? -ENOMEM : 0;
}

static int stats_print(struct table *table, const struct keys *keys, const struct stats_view *view,
		       struct out *out)
{
	table->raw_times = view->raw_times;
	table_sort(table, order_key(view->order, keys), "count");
	if (view->json)
		return stats_print_json(table, keys->by, view, out);
	return view->csv ? table_print_csv(table, view->rows, out) :
			   table_print(table, view->rows, out);
}

/* The keys by which events are counted, and the columns of their names. */
static const struct {
	const char *by, *title;
	const char *detail; /* for the event system or the process ID */
	enum table_kind detail_kind;
} kinds[] = {
	[COUNTS_BY_EVENT] = { "event", "event", "system", TABLE_TEXT },
	[COUNTS_BY_TASK] = { "task", "task", "pid", TABLE_NUMBER },
	[COUNTS_BY_CPU] = { "cpu", "CPU", "cpu", TABLE_NUMBER },
	[COUNTS_BY_FUNCTION] = { "function", "function", "module", TABLE_TEXT },
};

/* Adds the cells for the name and its detail. */
static void put_count_name(struct table *table, const struct counts *counts,
			   const struct count *count, const struct stats_view *view)
{
	const struct event_format *format = count->entry ? count->entry->format : NULL;
	_cleanup_strbuf_ struct strbuf shown = { 0 };
	const char *comm;

	switch (counts->by) {
	case COUNTS_BY_EVENT:
		if (format)
			quote_addf(&shown, "%s:%s", format->system, format->name);
		else
			quote_addf(&shown, "event %" PRIu64, count->key);
		table_text(table, strbuf_str(&shown));
		table_text(table, format ? format->name : NULL);
		table_text(table, format ? format->system : NULL);
		break;
	case COUNTS_BY_TASK:
		comm = tasks_find(view->tasks, (int32_t)count->key)->comm;
		quote_addf(&shown, "%s-%" PRId32, comm, (int32_t)count->key);
		table_text(table, strbuf_str(&shown));
		table_text(table, comm);
		table_number(table, (uint64_t)(int64_t)(int32_t)count->key);
		break;
	case COUNTS_BY_CPU:
		quote_addf(&shown, "%" PRIu64, count->key);
		table_text(table, strbuf_str(&shown));
		table_text(table, strbuf_str(&shown));
		table_number(table, count->key);
		break;
	case COUNTS_BY_FUNCTION:
		func_put_name(&counts->funcs.list[count->key], &shown);
		table_text(table, strbuf_str(&shown));
		table_text(table, counts->funcs.list[count->key].name);
		table_text(table, counts->funcs.list[count->key].module);
		break;
	}
	table->nomem |= shown.err != 0;
}

int stats_print_counts(const struct counts *counts, const struct stats_view *view, struct out *out)
{
	bool by_cpu = counts->by == COUNTS_BY_CPU;
	const struct table_column columns[] = {
		{ "count", "count", TABLE_COUNT },
		{ "rate", "rate", TABLE_RATE },
		{ "first_time_ns", "first", TABLE_TIME },
		{ "last_time_ns", "last", TABLE_TIME },
		{ by_cpu ? "lost_event_count" : NULL, by_cpu ? "lost" : NULL, TABLE_COUNT },
		{ NULL, kinds[counts->by].title, TABLE_TEXT },
		{ by_cpu ? NULL : "name", NULL, TABLE_TEXT },
		{ kinds[counts->by].detail, NULL, kinds[counts->by].detail_kind },
	};
	_cleanup_(table_done) struct table table = { .columns = columns, .n_columns = N(columns) };
	const struct keys keys = { kinds[counts->by].by, by_cpu ? "cpu" : "count",
				   by_cpu ? "cpu" : "name" };

	for (size_t i = 0; i < counts->n; i++) {
		const struct count *count = &counts->list[i];

		table_number(&table, count->n);
		put_rate(&table, count->n, view);
		table_known(&table, count->first, count->n > 0);
		table_known(&table, count->last, count->n > 0);
		table_known(&table, count->lost, by_cpu);
		put_count_name(&table, counts, count, view);
	}
	return stats_print(&table, &keys, view, out);
}

/* The columns of items that have a start and an end; those in the middle count them. */
#define TIMED_COLUMNS(what, long_view, more_cut, ...)                                        \
	{ "total_ns", "total", TABLE_NS }, { "self_ns", "self", TABLE_NS }, __VA_ARGS__,     \
		{ "rate", (long_view) ? "rate" : NULL, TABLE_RATE },                         \
		{ "min_ns", "min", TABLE_NS }, { "median_ns", "median", TABLE_NS },          \
		{ "p99_ns", "99%", TABLE_NS }, { "max_ns", "max", TABLE_NS },                \
		{ "first_time_ns", (long_view) ? "first" : NULL, TABLE_TIME },               \
		{ "last_time_ns", (long_view) ? "last" : NULL, TABLE_TIME },                 \
		{ "slowest_time_ns", (long_view) ? "slowest" : NULL, TABLE_TIME },           \
		{ "slowest_pid", NULL, TABLE_NUMBER },                                       \
		{ "incomplete_count", (more_cut), TABLE_CUT }, { NULL, (what), TABLE_TEXT }, \
	{                                                                                    \
		"name", NULL, TABLE_TEXT                                                     \
	}

struct timed {
	uint64_t total, own, count, cut;
	bool own_unknown;
	const uint64_t *calls; /* including incomplete ones; NULL: no such column */
	uint64_t min, max;
	const struct spread *spread;
	uint64_t first, last, slowest_time;
	int32_t slowest_pid;
};

static uint64_t stats_quantile(const struct timed *timed, unsigned part)
{
	return spread_quantile_within(timed->spread, part, timed->min, timed->max);
}

static void put_timed(struct table *table, const struct timed *timed, const struct stats_view *view)
{
	bool known = timed->count > 0;

	table_number(table, timed->total);
	table_known(table, timed->own, !timed->own_unknown);
	table_number(table, timed->count);
	if (timed->calls)
		table_number(table, *timed->calls);
	put_rate(table, timed->count, view);
	table_known(table, timed->min, known);
	table_known(table, stats_quantile(timed, MEDIAN), known);
	table_known(table, stats_quantile(timed, P99), known);
	table_known(table, timed->max, known);
	table_known(table, timed->first, known);
	table_known(table, timed->last, known);
	table_known(table, timed->slowest_time, known);
	table_known(table, (uint64_t)(int64_t)timed->slowest_pid, known);
	table_number(table, timed->cut);
}

/* Adds a row for function @i of @tree, if it was called; @flat has its sums. */
static void stats_put_function(struct table *table, const struct call_tree *tree,
			       struct call_tree *flat, const struct func_times *times, size_t i,
			       const struct stats_view *view)
{
	static const struct func_time never;
	const struct func *func = &tree->funcs.list[i];
	const struct func_time *time = i < times->n ? &times->list[i] : &never;
	uint32_t same = func_table_find(&flat->funcs, func->address);
	uint32_t at = same == FUNC_NONE ? CALL_NONE : call_tree_child(flat, CALL_ROOT, same);
	_cleanup_strbuf_ struct strbuf shown = { 0 };
	const struct call_node *node;

	if (at == CALL_NONE) {
		table->nomem = true;
		return;
	}
	node = &flat->nodes[at];
	if (!node->count && !node->cut)
		return;
	put_timed(table,
		  &(struct timed){ .total = node->times.total,
				   .own = node->times.own,
				   .count = node->count,
				   .cut = node->cut,
				   .min = node->min,
				   .max = node->max,
				   .spread = &node->spread,
				   .first = time->first,
				   .last = time->last,
				   .slowest_time = time->slowest.start,
				   .slowest_pid = time->slowest.pid },
		  view);
	func_put_name(func, &shown);
	table_text(table, strbuf_str(&shown));
	table_text(table, func->name);
	table_text(table, func->module);
	table_known(table, func->address, func_has_address(func));
	table->nomem |= shown.err != 0;
}

int stats_print_functions(const struct call_tree *tree, const struct func_times *times,
			  const struct stats_view *view, struct out *out)
{
	const struct table_column columns[] = {
		TIMED_COLUMNS("function", view->with_times, "more incomplete",
			      { "count", "count", TABLE_COUNT }),
		{ "module", NULL, TABLE_TEXT },
		{ "address", NULL, TABLE_ADDRESS },
	};
	_cleanup_(table_done) struct table table = { .columns = columns, .n_columns = N(columns) };
	_cleanup_(call_tree_done) struct call_tree flat = { 0 };
	int r = call_view_flat(tree, &flat);

	if (r < 0)
		return r;
	for (size_t i = 0; i < tree->funcs.n; i++)
		stats_put_function(&table, tree, &flat, times, i, view);
	return stats_print(&table, &(struct keys){ "function", "total_ns", "name" }, view, out);
}

int stats_print_syscalls(const struct syscalls *syscalls, const struct stats_view *view,
			 struct out *out)
{
	const struct table_column columns[] = {
		TIMED_COLUMNS("system call", view->with_times, "incomplete",
			      { "count", NULL, TABLE_COUNT },
			      { "call_count", "calls", TABLE_COUNT }),
		{ "number", NULL, TABLE_NUMBER },
		{ "failed_count", NULL, TABLE_COUNT },
		{ "not_returned_count", "did not return", TABLE_CUT },
	};
	_cleanup_(table_done) struct table table = { .columns = columns, .n_columns = N(columns) };

	for (size_t i = 0; i < syscalls->n; i++) {
		const struct syscall_sums *sums = &syscalls->list[i];
		uint64_t calls = syscall_sums_calls(sums);
		char number[32];

		if (!calls)
			continue;
		put_timed(&table,
			  &(struct timed){ .total = sums->total,
					   .own = sums->own,
					   .own_unknown = !sums->knows_sleep,
					   .count = sums->count,
					   .calls = &calls,
					   .cut = sums->cut,
					   .min = sums->min,
					   .max = sums->max,
					   .spread = &sums->spread,
					   .first = sums->first_time,
					   .last = sums->last_time,
					   .slowest_time = sums->slowest_time,
					   .slowest_pid = sums->slowest_pid },
			  view);
		snprintf(number, sizeof(number), "system call %" PRId64, sums->number);
		table_text(&table, sums->name ?: number);
		table_text(&table, sums->name);
		table_number(&table, (uint64_t)sums->number);
		table_number(&table, sums->failed);
		table_number(&table, sums->ended_in);
	}
	return stats_print(&table, &(struct keys){ "syscall", "total_ns", "name" }, view, out);
}
