/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/sched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quote.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/chart/histogram.h"
#include "render/waits/sched-rows.h"
#include "render/waits/waker.h"

#define SECOND 1000000000U

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

/* Appends total, median, maximum, and when the longest began. */
static void put_latency(struct strbuf *buf, const struct tally *latency)
{
	duration_put(buf, tally_time(latency));
	duration_put(buf, spread_quantile_within(&latency->spread, SCHED_MEDIAN, latency->min,
						 latency->max));
	duration_put(buf, latency->max);
	if (latency->count)
		quote_addf(buf, " %8" PRIu64 ".%06" PRIu64, latency->max_time / SECOND,
			   latency->max_time % SECOND / 1000);
	else
		quote_addf(buf, " %15s", ".");
}

static int print_tasks(const struct sched_view *view, struct strbuf *buf, const struct out *out)
{
	static const struct fit_column columns[] = { { 10, 0 }, { 19, 6 }, { 29, 1 },
						     { 39, 5 }, { 49, 2 }, { 65, 8 },
						     { 74, 7 }, { 84, 4 }, { 94, 3 } };
	_cleanup_free_ struct sched_row *rows = NULL;
	struct fit fit;
	size_t n;
	int r = sched_rows(view, &rows, &n);

	if (r < 0)
		return r;
	fit_init(&fit, out, columns, ARRAY_SIZE(columns), FIT_TEXT);
	quote_addf(buf,
		   "%s       run   slices     delay    median       max        worst at    moves "
		   "voluntary preempted  task%s\n",
		   out_style(out, OUT_TITLE), out_style(out, OUT_PLAIN));
	r = fit_write_head(&fit, buf);
	for (size_t i = 0; i < n; i++) {
		const struct sched_task *sums = rows[i].sums;

		duration_put(buf, tally_time(&sums->run));
		quote_addf(buf, " %8" PRIu64, sums->run.count);
		put_latency(buf, &sums->latency);
		quote_addf(buf, " %8" PRIu64 " %9" PRIu64 " %9" PRIu64 "  %s%s-%" PRId32 "%s\n",
			   sums->migrations, sums->voluntary, sums->preempted,
			   out_style(out, OUT_NAME), rows[i].task->name, rows[i].task->pid,
			   out_style(out, OUT_PLAIN));
	}
	return r ?: fit_write(&fit, buf);
}

static int print_cpus(const struct sched_view *view, struct strbuf *buf, const struct out *out)
{
	static const struct fit_column columns[] = { { 5, 0 },	{ 15, 1 },  { 25, 4 }, { 33, 3 },
						     { 42, 6 }, { 51, 7 },  { 61, 2 }, { 71, 8 },
						     { 81, 5 }, { 97, 10 }, { 106, 9 } };
	struct fit fit;
	int r;

	const struct sched *sched = view->sched;
	bool limited = task_states_is_limited(view->states);

	quote_addf(buf,
		   "%s  CPU      busy      idle       %%   slices switches     delay    median"
		   "       max        worst at    moves%s\n",
		   out_style(out, OUT_TITLE), out_style(out, OUT_PLAIN));
	fit_init(&fit, out, columns, ARRAY_SIZE(columns), 2);
	r = fit_write_head(&fit, buf);
	for (size_t i = 0; i < sched->n_cpus; i++) {
		const struct sched_cpu *cpu = &sched->cpus[i];
		uint64_t seen = cpu->busy + cpu->idle;

		if (!sched_cpu_seen(cpu))
			continue;
		quote_addf(buf, "%5zu", i);
		duration_put(buf, cpu->busy);
		if (limited)
			quote_addf(buf, " %9s", "?");
		else
			duration_put(buf, cpu->idle);
		if (limited)
			quote_addf(buf, " %7s", "?");
		else if (seen)
			quote_addf(buf, " %7.1f", 100.0 * (double)cpu->busy / (double)seen);
		else
			quote_addf(buf, " %7s", ".");
		quote_addf(buf, " %8" PRIu64 " %8" PRIu64, cpu->run.count, cpu->switches);
		put_latency(buf, &cpu->latency);
		quote_addf(buf, " %8" PRIu64 "\n", cpu->migrations);
	}
	return r ?: fit_write(&fit, buf);
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
		r = print_cpus(view, &buf, out);
	else
		r = print_tasks(view, &buf, out);
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
