/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Off-CPU time as text. Not printed with table.h: rows are a tree of tasks, waits and wakers, each
 * with notes of its own, and are indented before the name, which a table aligns.
 */
#include "render/waits/offcpu.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/waits/waker.h"

#define MEDIAN 500
#define SECOND 1000000000U

enum depth {
	TASKS = 1,
	PLACES,
	WAKERS
};

static void offcpu_put_time(struct strbuf *buf, uint64_t time)
{
	quote_addf(buf, " %8" PRIu64 ".%06" PRIu64, time / SECOND, time % SECOND / 1000);
}

/* Appends a row without its last column. */
static void offcpu_put_tally(struct strbuf *buf, const struct tally *tally, enum depth depth)
{
	duration_put(buf, tally_time(tally));
	quote_addf(buf, " %8" PRIu64, tally->count);
	duration_put(buf, spread_quantile_within(&tally->spread, MEDIAN, tally->min, tally->max));
	duration_put(buf, tally->max);
	if (tally->count)
		offcpu_put_time(buf, tally->max_time);
	else
		quote_addf(buf, " %15s", ".");
	strbuf_pad(buf, ' ', 2 * (size_t)depth);
}

/* An incomplete wait only counts in the total, with the part inside the time range. */
static void end_row(struct strbuf *buf, uint64_t begun, uint64_t open)
{
	if (begun && open)
		quote_addf(buf, "  (%" PRIu64 " more began before, %" PRIu64 " still waiting)",
			   begun, open);
	else if (begun)
		quote_addf(buf, "  (%" PRIu64 " more began before)", begun);
	else if (open)
		quote_addf(buf, "  (%" PRIu64 " more still waiting)", open);
	strbuf_addc(buf, '\n');
}

static void offcpu_put_group(const struct offcpu_view *view, const struct wait_group *group,
			     struct strbuf *buf)
{
	const struct wait_sums *first = group->sums[0];
	bool with_wakers;

	offcpu_put_tally(buf, &group->tally, PLACES);
	wait_put(buf, view->states, first->state, first->syscall);
	/* Runnable tasks have no waker, because they have already been woken. */
	with_wakers = view->depth >= WAKERS && first->state != TASK_STATE_RUNNABLE;
	if (with_wakers && group->n == 1 && (group->tally.count || group->begun)) {
		strbuf_adds(buf, ", ");
		waker_put(buf, view->states, first->waker);
		with_wakers = false;
	}
	end_row(buf, group->begun, group->open);
	if (!with_wakers)
		return;
	for (size_t i = 0; i < group->n; i++) {
		const struct wait_sums *sums = group->sums[i];

		if (!sums->tally.count && !sums->begun)
			continue;
		offcpu_put_tally(buf, &sums->tally, WAKERS);
		waker_put(buf, view->states, sums->waker);
		end_row(buf, sums->begun, 0);
	}
}

static int offcpu_print_waits(const struct offcpu_view *view, struct strbuf *buf,
			      const struct out *out)
{
	static const struct fit_column columns[] = {
		{ 10, 0 }, { 19, 1 }, { 29, 3 }, { 39, 2 }, { 55, 4 }
	};
	static const char *const heads[] = {
		[TASKS] = "task", [PLACES] = "task, wait", [WAKERS] = "task, wait, waker"
	};
	_cleanup_(wait_view_done) struct wait_view tree = { 0 };
	int r = wait_view_init(&tree, view->waits, view->states, view->order);
	struct fit fit;

	if (r < 0)
		return r;
	quote_addf(buf, "%s     total    waits    median       max        worst at  %s%s\n",
		   out_style(out, OUT_TITLE), heads[view->depth], out_style(out, OUT_PLAIN));
	fit_init(&fit, out, columns, ARRAY_SIZE(columns), FIT_TEXT);
	r = fit_write_head(&fit, buf);
	for (size_t i = 0; i < tree.n_tasks; i++) {
		const struct wait_task *task = &tree.tasks[i];

		offcpu_put_tally(buf, &task->tally, TASKS);
		quote_adds(buf, out_style(out, OUT_NAME));
		task_put(buf, view->states->tasks[task->task]);
		quote_adds(buf, out_style(out, OUT_PLAIN));
		end_row(buf, task->begun, task->open);
		for (size_t g = 0; view->depth > TASKS && g < task->n; g++)
			offcpu_put_group(view, &task->groups[g], buf);
	}
	return r ?: fit_write(&fit, buf);
}

static int offcpu_print_chains(const struct offcpu_view *view, struct strbuf *buf, struct out *out)
{
	static const struct fit_column columns[] = { { 10, 0 }, { 31, 1 } };
	const struct waits *waits = view->waits;
	struct fit fit;

	if (!waits->n_chains)
		return 0;
	quote_printf(out->stream, "\n%s", out_style(out, OUT_TITLE));
	out_wrap(out, 0, 0, "Longest waits, each followed by the wait of its waker");
	quote_printf(out->stream, "%s", out_style(out, OUT_PLAIN));
	for (size_t i = 0; i < waits->n_chains; i++) {
		for (size_t k = 0; k < waits->chains[i].n; k++) {
			const struct wait_link *link = &waits->chains[i].links[k];

			duration_put(buf, link->end - link->start);
			strbuf_adds(buf, " from");
			offcpu_put_time(buf, link->start);
			strbuf_pad(buf, ' ', 2 + 2 * k);
			quote_adds(buf, out_style(out, OUT_NAME));
			task_put(buf, view->states->tasks[link->task]);
			quote_addf(buf, "%s ", out_style(out, OUT_PLAIN));
			wait_put(buf, view->states, link->state, link->syscall);
			strbuf_adds(buf, ", ");
			waker_put(buf, view->states, link->waker);
			strbuf_addc(buf, '\n');
		}
	}
	fit_init(&fit, out, columns, ARRAY_SIZE(columns), FIT_TEXT);
	return fit_write(&fit, buf);
}

int offcpu_print(const struct offcpu_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = offcpu_print_waits(view, &buf, out);

	r = r ?: offcpu_print_chains(view, &buf, out);
	followed_put(&buf, view->states);
	if (view->waits->doubtful)
		quote_addf(&buf,
			   "\n%" PRIu64
			   " more waits have an unknown duration, because events are missing\n",
			   view->waits->doubtful);
	return out_write_wrapped(out, &buf) ?: r;
}
