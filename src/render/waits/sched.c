/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/sched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/kit/table.h"
#include "render/chart/histogram.h"
#include "render/waits/sched-rows.h"
#include "render/waits/waker.h"

static int sched_compare(const void *pa, const void *pb, void *arg)
{
	const struct sched_row *a = pa, *b = pb;
	const struct sched_task *sa = a->sums, *sb = b->sums;
	int r = 0;

	switch (*(const enum sched_order *)arg) {
	case SCHED_BY_DELAY:
		r = order_falling(tally_time(&sa->latency), tally_time(&sb->latency));
		break;
	case SCHED_BY_MAX:
		r = order_falling(sa->latency.max, sb->latency.max);
		break;
	case SCHED_BY_SLICES:
		r = order_falling(sa->run.count, sb->run.count);
		break;
	case SCHED_BY_MOVES:
		r = order_falling(sa->migrations, sb->migrations);
		break;
	case SCHED_BY_SWITCHES:
		r = order_falling(sa->voluntary + sa->preempted, sb->voluntary + sb->preempted);
		break;
	case SCHED_BY_NAME:
		r = strcmp(a->task->name, b->task->name);
		break;
	case SCHED_BY_RUN:
		break;
	}
	r = r ?: order_falling(tally_time(&sa->run), tally_time(&sb->run));
	r = r ?: order_falling((uint32_t)b->task->pid, (uint32_t)a->task->pid);
	return r ?: order_falling((uintptr_t)sb, (uintptr_t)sa);
}

static bool task_seen(const struct sched_task *task)
{
	return task->run.count || task->latency.count || task->voluntary || task->preempted ||
	       task->cut || task->doubtful;
}

bool sched_cpu_seen(const struct sched_cpu *cpu)
{
	return cpu->switches || cpu->busy || cpu->idle || tally_time(&cpu->latency) ||
	       cpu->latency.count || cpu->doubtful;
}

int sched_rows(const struct sched_view *view, struct sched_row **ret_rows, size_t *ret_n)
{
	const struct sched *sched = view->sched;
	enum sched_order order = view->order;
	struct sched_row *rows = mem_zalloc(sched->n_tasks + 1, sizeof(*rows));
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < sched->n_tasks; i++)
		if (task_seen(&sched->tasks[i]))
			rows[n++] = (struct sched_row){ view->states->tasks[i], &sched->tasks[i] };
	qsort_r(rows, n, sizeof(*rows), sched_compare, &order);
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}

/* Adds total, median, maximum, and the start of the longest. */
static void sched_put_latency(struct table *table, const struct tally *latency)
{
	table_number(table, tally_time(latency));
	table_number(table, spread_quantile_within(&latency->spread, SCHED_MEDIAN, latency->min,
						   latency->max));
	table_number(table, latency->max);
	table_known(table, latency->max_time, latency->count > 0);
}

static int print_tasks(const struct sched_view *view, struct out *out)
{
	static const struct table_column columns[] = {
		{ NULL, "run", TABLE_NS },
		{ NULL, "slices", TABLE_COUNT, .rank = 6 },
		{ NULL, "delay", TABLE_NS, .rank = 1 },
		{ NULL, "median", TABLE_NS, .rank = 5 },
		{ NULL, "max", TABLE_NS, .rank = 2 },
		{ NULL, "worst at", TABLE_TIME, .rank = 8, .width = 15 },
		{ NULL, "moves", TABLE_COUNT, .rank = 7 },
		{ NULL, "voluntary", TABLE_COUNT, .rank = 4, .width = 9 },
		{ NULL, "preempted", TABLE_COUNT, .rank = 3, .width = 9 },
		{ NULL, "task", TABLE_TEXT },
	};
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns),
						     .text_space = FIT_TEXT };
	_cleanup_free_ struct sched_row *rows = NULL;
	_cleanup_strbuf_ struct strbuf name = { 0 };
	size_t n;
	int r = sched_rows(view, &rows, &n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		const struct sched_task *sums = rows[i].sums;

		table_number(&table, tally_time(&sums->run));
		table_number(&table, sums->run.count);
		sched_put_latency(&table, &sums->latency);
		table_number(&table, sums->migrations);
		table_number(&table, sums->voluntary);
		table_number(&table, sums->preempted);
		strbuf_clear(&name);
		quote_addf(&name, "%s-%" PRId32, rows[i].task->name, rows[i].task->pid);
		table_text(&table, strbuf_str(&name));
		table.nomem |= name.err != 0;
	}
	return table_print(&table, 0, out);
}

/* Adds the idle time and the percentage of the other; "?" if other tasks may have run. */
static void sched_put_idle(struct table *table, const struct sched_cpu *cpu, bool limited)
{
	uint64_t seen = cpu->busy + cpu->idle;
	char idle[DURATION_SIZE], percent[16];

	if (limited) {
		table_text(table, "?");
		table_text(table, "?");
		return;
	}
	snprintf(percent, sizeof(percent), "%.1f",
		 seen ? 100.0 * (double)cpu->busy / (double)seen : 0);
	table_text(table, cpu->idle ? duration_text(cpu->idle, idle) : NULL);
	table_text(table, seen ? percent : NULL);
}

static int print_cpus(const struct sched_view *view, struct out *out)
{
	static const struct table_column columns[] = {
		{ NULL, "CPU", TABLE_NUMBER, .width = 4 },
		{ NULL, "busy", TABLE_NS, .rank = 1 },
		{ NULL, "idle", TABLE_WORD, .rank = 4 },
		{ NULL, "%", TABLE_WORD, .rank = 3, .width = 7 },
		{ NULL, "slices", TABLE_COUNT, .rank = 6 },
		{ NULL, "switches", TABLE_COUNT, .rank = 7 },
		{ NULL, "delay", TABLE_NS, .rank = 2 },
		{ NULL, "median", TABLE_NS, .rank = 8 },
		{ NULL, "max", TABLE_NS, .rank = 5 },
		{ NULL, "worst at", TABLE_TIME, .rank = 10, .width = 15 },
		{ NULL, "moves", TABLE_COUNT, .rank = 9 },
	};
	_cleanup_(table_done) struct table table = { .columns = columns,
						     .n_columns = ARRAY_SIZE(columns) };
	const struct sched *sched = view->sched;

	for (size_t i = 0; i < sched->n_cpus; i++) {
		const struct sched_cpu *cpu = &sched->cpus[i];

		if (!sched_cpu_seen(cpu))
			continue;
		table_number(&table, i);
		table_number(&table, cpu->busy);
		sched_put_idle(&table, cpu, task_states_is_limited(view->states));
		table_number(&table, cpu->run.count);
		table_number(&table, cpu->switches);
		sched_put_latency(&table, &cpu->latency);
		table_number(&table, cpu->migrations);
	}
	return table_print(&table, 0, out);
}

static void put_histogram(struct strbuf *buf, const char *title, const struct spread *spread,
			  const struct out *out)
{
	quote_addf(buf, "\n%s%s%s\n", out_style(out, OUT_TITLE), title, out_style(out, OUT_PLAIN));
	histogram_put(buf, spread, HISTOGRAM_NS, 0, out);
}

static int put_histograms(const struct sched *sched, struct strbuf *buf, const struct out *out)
{
	struct spread latency = { 0 }, run = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sched->n_tasks; i++) {
		r = spread_merge(&latency, &sched->tasks[i].latency.spread);
		if (r == 0)
			r = spread_merge(&run, &sched->tasks[i].run.spread);
	}
	if (r == 0) {
		put_histogram(buf, "Scheduling latency", &latency, out);
		put_histogram(buf, "Slices", &run, out);
	}
	spread_done(&latency);
	spread_done(&run);
	return r;
}

int sched_print(const struct sched_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = 0;

	if (view->cpus)
		r = print_cpus(view, out);
	else
		r = print_tasks(view, out);
	if (r == 0 && view->histograms)
		r = put_histograms(view->sched, &buf, out);
	r = r ?: fit_write_lines(out, &buf);
	followed_put(&buf, view->states);
	if (view->cpus && task_states_is_limited(view->states))
		strbuf_adds(&buf, "idle time, and CPU time of other tasks, are unknown\n");
	if (view->sched->doubtful)
		quote_addf(&buf,
			   "\n%" PRIu64 " more runs and waits have an unknown duration, because "
			   "events are missing\n",
			   view->sched->doubtful);
	return out_write_wrapped(out, &buf) ?: r;
}
