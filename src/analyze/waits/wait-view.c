/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/wait-view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

/* Adds @from to @tally. Returns 0 or -ENOMEM. */
static int wait_view_merge(struct tally *tally, const struct tally *from)
{
	tally->partial += from->partial;
	if (!from->count)
		return 0;
	if (!tally->count || from->min < tally->min)
		tally->min = from->min;
	if (!tally->count || from->max > tally->max ||
	    (from->max == tally->max && from->max_time < tally->max_time)) {
		tally->max = from->max;
		tally->max_time = from->max_time;
	}
	tally->count += from->count;
	tally->total += from->total;
	return spread_merge(&tally->spread, &from->spread);
}

static int by_tally(const struct tally *a, const struct tally *b, enum wait_order order)
{
	int r = 0;

	if (order == WAITS_BY_COUNT)
		r = order_falling(a->count, b->count);
	else if (order == WAITS_BY_MAX)
		r = order_falling(a->max, b->max);
	return r ?: order_falling(tally_time(a), tally_time(b));
}

/* Sorts groups together. */
static int by_group(const struct wait_sums *a, const struct wait_sums *b)
{
	int r = order_falling(b->task, a->task);

	r = r ?: order_falling(b->state, a->state);
	return r ?: order_falling((uint64_t)b->syscall, (uint64_t)a->syscall);
}

static int wait_view_compare_sums(const void *pa, const void *pb, void *arg)
{
	const struct wait_sums *a = *(const struct wait_sums *const *)pa;
	const struct wait_sums *b = *(const struct wait_sums *const *)pb;
	int r = by_group(a, b);

	r = r ?: by_tally(&a->tally, &b->tally, *(const enum wait_order *)arg);
	r = r ?: order_falling(b->waker.kind, a->waker.kind);
	return r ?: order_falling(b->waker.number, a->waker.number);
}

static int wait_view_compare_groups(const void *pa, const void *pb, void *arg)
{
	const struct wait_group *a = pa, *b = pb;
	int r = by_tally(&a->tally, &b->tally, *(const enum wait_order *)arg);

	return r ?: by_group(a->sums[0], b->sums[0]);
}

struct task_order {
	const struct task_states *states;
	enum wait_order order;
};

static int wait_view_compare_tasks(const void *pa, const void *pb, void *arg)
{
	const struct wait_task *a = pa, *b = pb;
	const struct task_order *order = arg;
	int r = 0;

	if (order->order == WAITS_BY_NAME)
		r = strcmp(order->states->tasks[a->task]->name,
			   order->states->tasks[b->task]->name);
	r = r ?: by_tally(&a->tally, &b->tally, order->order);
	return r ?: order_falling(b->task, a->task);
}

/* Makes tasks in order of number, and their groups in order of appearance. */
static int wait_view_make_groups(struct wait_view *view, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct wait_sums *sums = view->sums[i];
		struct wait_group *group;
		struct wait_task *task;
		int r;

		if (i == 0 || sums->task != view->sums[i - 1]->task)
			view->tasks[view->n_tasks++] =
				(struct wait_task){ .task = sums->task,
						    .groups = &view->groups[view->n_groups] };
		task = &view->tasks[view->n_tasks - 1];
		if (i == 0 || by_group(sums, view->sums[i - 1]) != 0) {
			view->groups[view->n_groups++] =
				(struct wait_group){ .sums = &view->sums[i] };
			task->n++;
		}
		group = &view->groups[view->n_groups - 1];
		group->n++;
		group->begun += sums->begun;
		task->begun += sums->begun;
		group->open += sums->open;
		task->open += sums->open;
		r = wait_view_merge(&group->tally, &sums->tally);
		if (r == 0)
			r = wait_view_merge(&task->tally, &sums->tally);
		if (r < 0)
			return r;
	}
	return 0;
}

int wait_view_init(struct wait_view *view, const struct waits *waits,
		   const struct task_states *states, enum wait_order order)
{
	struct task_order task_order = { states, order };

	view->sums = mem_zalloc(waits->n + 1, sizeof(void *));
	view->groups = mem_zalloc(waits->n + 1, sizeof(*view->groups));
	view->tasks = mem_zalloc(waits->n + 1, sizeof(*view->tasks));
	if (!view->sums || !view->groups || !view->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < waits->n; i++)
		view->sums[i] = &waits->list[i];
	qsort_r(view->sums, waits->n, sizeof(void *), wait_view_compare_sums, &order);
	if (wait_view_make_groups(view, waits->n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < view->n_tasks; i++) {
		size_t first = (size_t)(view->tasks[i].groups - view->groups);

		qsort_r(&view->groups[first], view->tasks[i].n, sizeof(*view->groups),
			wait_view_compare_groups, &order);
	}
	qsort_r(view->tasks, view->n_tasks, sizeof(*view->tasks), wait_view_compare_tasks,
		&task_order);
	return 0;
}

void wait_view_done(struct wait_view *view)
{
	for (size_t i = 0; i < view->n_groups; i++)
		tally_done(&view->groups[i].tally);
	for (size_t i = 0; i < view->n_tasks; i++)
		tally_done(&view->tasks[i].tally);
	free(view->sums);
	free(view->groups);
	free(view->tasks);
	memset(view, 0, sizeof(*view));
}
