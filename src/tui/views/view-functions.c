/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions: how often they were called and how long they took. */
#include <errno.h>

#include "analyze/calls/call-view.h"
#include "analyze/calls/calls.h"
#include "analyze/calls/func-times.h"
#include "tui/views/view-table.h"

struct functions_view {
	struct table_view table; /* must be first */
	struct calls *calls;
	struct func_times times;
	struct call_tree flat;
	bool has_flat;
};

static void view_functions_ended(void *data, uint32_t func, const struct instance *instance)
{
	struct functions_view *view = data;

	func_times_add(&view->times, calls_funcs(view->calls), func, instance);
}

static int view_functions_begin(struct table_view *table)
{
	struct functions_view *view = (struct functions_view *)table;
	struct tui *tui = table->view.tui;

	table->feed.filtered = CALLS_FILTERED;
	return calls_new(&(struct calls_options){ .kallsyms = report_kallsyms(tui->report),
						  .tasks = report_tasks(tui->report),
						  .with_spread = true,
						  .ended = view_functions_ended,
						  .ended_data = view },
			 &view->calls);
}

static void view_functions_take(void *table, const struct decoded_event *decoded)
{
	calls_feed(((struct functions_view *)table)->calls, decoded);
}

static void set_worst(struct table_row *row, const struct instance *slowest)
{
	row->worst_at = slowest->start;
	row->worst_pid = slowest->pid;
}

static int view_functions_add_row(struct functions_view *view, const struct call_node *node)
{
	const struct func *func =
		node->func < view->flat.funcs.n ? &view->flat.funcs.list[node->func] : NULL;
	struct strbuf *buf = &view->table.buf;
	struct table_row *row;
	uint32_t number;

	if (!func)
		return 0;
	number = calls_func(view->calls, func->address);
	strbuf_clear(buf);
	func_put_name(func, buf);
	row = view_table_add(&view->table, strbuf_str(buf));
	if (!row)
		return -ENOMEM;
	row->count = node->count;
	row->total = node->times.total;
	row->own = node->times.own;
	row->off_cpu = node->times.asleep;
	row->max = node->max;
	row->median = spread_quantile_within(&node->spread, 500, node->min, node->max);
	row->spread = &node->spread;
	if (number < view->times.n && view->times.list[number].seen)
		set_worst(row, &view->times.list[number].slowest);
	return 0;
}

static int view_functions_finish(struct table_view *table)
{
	struct functions_view *view = (struct functions_view *)table;
	const struct call_tree *tree;
	int r = calls_finish(view->calls, &tree);

	if (r < 0)
		return r;
	r = call_view_flat(tree, &view->flat);
	view->has_flat = r == 0;
	for (size_t i = 1; r == 0 && i < view->flat.n; i++)
		r = view_functions_add_row(view, &view->flat.nodes[i]);
	return r;
}

static void view_functions_end(struct table_view *table)
{
	struct functions_view *view = (struct functions_view *)table;

	if (view->has_flat)
		call_tree_done(&view->flat);
	view->has_flat = false;
	calls_free(view->calls);
	view->calls = NULL;
	func_times_done(&view->times);
	view->times = (struct func_times){ 0 };
}

static const struct table_kind kind = {
	.heading = "function",
	.empty = "no function calls recorded: use 'fathom run'",
	.second = "self",
	.begin = view_functions_begin,
	.take = view_functions_take,
	.finish = view_functions_finish,
	.end = view_functions_end,
};

static int view_functions_load(struct tui_view *view, struct fathom_err *err)
{
	((struct table_view *)view)->kind = &kind;
	return view_table_load((struct table_view *)view, err);
}

const struct view_ops view_functions = {
	.name = "Functions",
	.size = sizeof(struct functions_view),
	.load = view_functions_load,
	VIEW_TABLE_OPS,
};
