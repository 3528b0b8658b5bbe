/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls: how often, how long, and how many failed. */
#include <errno.h>
#include <inttypes.h>

#include "analyze/syscalls/syscalls.h"
#include "tui/views/view-table.h"

struct syscalls_view {
	struct table_view table; /* must be first */
	struct syscalls syscalls;
};

static struct syscalls *view_syscalls_of(void *table)
{
	return &((struct syscalls_view *)table)->syscalls;
}

static int view_syscalls_begin(struct table_view *table)
{
	table->feed.filtered = SYSCALLS_FILTERED;
	syscalls_clip(view_syscalls_of(table), &table->feed);
	return 0;
}

static void view_syscalls_take(void *table, const struct decoded_event *decoded)
{
	syscalls_feed(view_syscalls_of(table), decoded);
}

static int view_syscalls_add_row(struct table_view *table, const struct syscall_sums *sums)
{
	struct table_row *row;

	strbuf_clear(&table->buf);
	if (sums->name)
		strbuf_adds(&table->buf, sums->name);
	else
		strbuf_addf(&table->buf, "system call %" PRId64, sums->number);
	row = view_table_add(table, strbuf_str(&table->buf));
	if (!row)
		return -ENOMEM;
	row->count = syscall_sums_calls(sums);
	row->failed = sums->failed;
	row->total = syscall_sums_seen(sums);
	row->off_cpu = syscall_sums_off_cpu(sums);
	row->off_cpu_unknown = !sums->knows_sleep;
	row->max = sums->max;
	row->median = spread_quantile_within(&sums->spread, 500, sums->min, sums->max);
	row->spread = &sums->spread;
	row->worst_at = sums->slowest_time;
	row->worst_pid = sums->slowest_pid;
	return 0;
}

static int view_syscalls_finish(struct table_view *table)
{
	struct syscalls *syscalls = view_syscalls_of(table);
	int r;

	syscalls->goes_on = table->feed.late_more;
	r = syscalls_finish(syscalls);
	for (size_t i = 0; r == 0 && i < syscalls->n; i++)
		r = view_syscalls_add_row(table, &syscalls->list[i]);
	return r;
}

static void view_syscalls_end(struct table_view *table)
{
	syscalls_done(view_syscalls_of(table));
	*view_syscalls_of(table) = (struct syscalls){ 0 };
}

static const struct table_kind kind = {
	.heading = "system call",
	.empty = "no system calls recorded: use 'fathom run'",
	.second = "failed",
	.second_is_count = true,
	.begin = view_syscalls_begin,
	.take = view_syscalls_take,
	.finish = view_syscalls_finish,
	.end = view_syscalls_end,
};

static int view_syscalls_load(struct tui_view *view, struct fathom_err *err)
{
	((struct table_view *)view)->kind = &kind;
	return view_table_load((struct table_view *)view, err);
}

const struct view_ops view_syscalls = {
	.name = "System calls",
	.size = sizeof(struct syscalls_view),
	.load = view_syscalls_load,
	VIEW_TABLE_OPS,
};
