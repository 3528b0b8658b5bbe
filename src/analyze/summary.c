/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/summary.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/calls/calls.h"
#include "base/mem.h"
#include "base/order.h"

int summary_init(struct summary *summary, const struct kallsyms *kallsyms,
		 const struct tasks *tasks)
{
	struct calls_options options = { .kallsyms = kallsyms, .tasks = tasks };

	*summary = (struct summary){ .tasks = tasks };
	summary->syscalls.tracker.shared = summary->account.tracker.shared =
		summary->files.tracker.shared = &summary->tracking;
	return calls_new(&options, &summary->calls);
}

int summary_follow(struct summary *summary, const struct fathom_trace *trace, bool is_command)
{
	int r = followed_read(trace, &summary->followed);

	summary->cost.known = prices_read(trace, &summary->cost.prices);
	summary->disk.is_part = followed_is_limited(&summary->followed);
	summary->account.holders.followed = &summary->followed;
	/* Tasks older than the recording are identified by their pids. */
	for (size_t i = 0; i < summary->followed.n && r == 0 && !is_command; i++)
		r = time_account_follow(&summary->account, summary->followed.pids[i]);
	return r;
}

void summary_clip(struct summary *summary, struct feed *feed)
{
	syscalls_clip(&summary->syscalls, feed);
	summary->account.clip = summary->syscalls.clip;
}

static void feed_inside(struct summary *summary, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	int32_t only = summary->account.only;

	if (!summary->n_events++)
		summary->first = event->time;
	summary->last = event->time;
	switch (only && event->pid != only ? DECODED_OTHER : decoded->kind) {
	case DECODED_CALL:
		summary->n_calls += !decoded->call.is_user;
		break;
	case DECODED_FAULT:
		summary->faults++;
		break;
	default:
		break;
	}
	calls_feed(summary->calls, decoded);
	tracing_cost_feed(&summary->cost, decoded);
	processes_feed(&summary->processes, decoded);
}

void summary_feed(struct summary *summary, const struct decoded_event *decoded)
{
	int32_t only = summary->account.only;

	task_tracking_feed(&summary->tracking, decoded);
	if (!only || decoded->event->pid == only)
		disk_requests_feed(&summary->disk, decoded);
	if (!decoded_is_outside(decoded))
		feed_inside(summary, decoded);
	syscalls_feed(&summary->syscalls, decoded);
	time_account_feed(&summary->account, decoded);
	files_feed(&summary->files, decoded);
}

/* Returns how long tasks were runnable while the recorder occupied the CPU. */
static uint64_t recorder_time(const struct summary *summary)
{
	const struct cpu_holders *holders = &summary->account.holders;

	for (size_t i = 0; i < holders->n; i++)
		if (holders->list[i].recorder)
			return holders->list[i].time;
	return 0;
}

static size_t count_acted(const struct time_account *account)
{
	size_t n = 0;

	for (size_t i = 0; i < account->n_tasks; i++)
		n += account->tasks[i].acted;
	return n;
}

uint64_t summary_untraced(const struct summary *summary, uint64_t took)
{
	uint64_t cost = tracing_cost_least(&summary->cost);

	if (!cost)
		return 0;
	/* With several tasks, it is not certain that the main one waited for the recorder. */
	if (count_acted(&summary->account) == 1)
		cost += recorder_time(summary);
	return cost < took ? took - cost : 0;
}

uint64_t summary_signals(const struct summary *summary)
{
	return processes_count_signals(&summary->processes, summary->account.only);
}

static int summary_compare_functions(const void *pa, const void *pb)
{
	const struct summary_function *a = pa, *b = pb;

	return order_falling(a->own, b->own)		 ?:
		       order_falling(a->calls, b->calls) ?:
							   (int)a->func - (int)b->func;
}

/* Sums the self times of user functions over all callers. */
static int summary_add_functions(struct summary *summary)
{
	const struct call_tree *tree = summary->tree;
	size_t n = 0;

	summary->functions = mem_zalloc(tree->funcs.n + 1, sizeof(*summary->functions));
	if (!summary->functions)
		return -ENOMEM;
	for (size_t i = 0; i < tree->funcs.n; i++)
		summary->functions[i].func = (uint32_t)i;
	for (size_t i = 1; i < tree->n; i++) {
		const struct call_node *node = &tree->nodes[i];

		if (node->func == FUNC_NONE || !(tree->funcs.list[node->func].flags & FUNC_USER))
			continue;
		summary->functions[node->func].calls += node->count + node->cut;
		summary->functions[node->func].own += node->times.own;
	}
	for (size_t i = 0; i < tree->funcs.n; i++)
		if (summary->functions[i].calls)
			summary->functions[n++] = summary->functions[i];
	if (n)
		qsort(summary->functions, n, sizeof(*summary->functions),
		      summary_compare_functions);
	summary->n_functions = n;
	return 0;
}

int summary_finish(struct summary *summary, const struct phases *phases, bool goes_on)
{
	summary->account.goes_on = summary->syscalls.goes_on = goes_on;
	if (task_tracking_finish(&summary->tracking) < 0 ||
	    calls_finish(summary->calls, &summary->tree) < 0 ||
	    syscalls_finish(&summary->syscalls) < 0 || files_finish(&summary->files) < 0 ||
	    time_account_finish(&summary->account, summary->times) < 0 ||
	    summary->processes.nomem || summary->disk.nomem)
		return -ENOMEM;
	if (summary_add_functions(summary) < 0)
		return -ENOMEM;
	return breakdown_make(summary->tree, phases, &summary->breakdown);
}

void summary_done(struct summary *summary)
{
	breakdown_done(&summary->breakdown);
	free(summary->functions);
	calls_free(summary->calls);
	tracing_cost_done(&summary->cost);
	syscalls_done(&summary->syscalls);
	time_account_done(&summary->account);
	files_done(&summary->files);
	processes_done(&summary->processes);
	task_tracking_done(&summary->tracking);
	disk_requests_done(&summary->disk);
	followed_done(&summary->followed);
	*summary = (struct summary){ 0 };
}
