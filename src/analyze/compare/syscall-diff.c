/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/compare/syscall-diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

int64_t syscall_change_time(const struct syscall_diff *diff, const struct syscall_change *change)
{
	return (int64_t)(syscall_sums_time(&change->after) / diff->n_after -
			 syscall_sums_time(&change->before) / diff->n_before);
}

const char *syscall_change_name(const struct syscall_change *change)
{
	return change->before.name ?: change->after.name;
}

uint64_t syscall_change_calls(const struct syscall_sums *sums)
{
	return syscall_sums_calls(sums);
}

/* Numbers differ between architectures, so compare them only if there is no name. */
static bool syscall_diff_is_same(const struct syscall_change *change,
				 const struct syscall_sums *sums)
{
	const char *name = syscall_change_name(change);

	if (name && sums->name)
		return str_eq(name, sums->name);
	return change->before.number == sums->number;
}

/* Returns the index of the row for the calls in @sums, adding it if necessary, or -ENOMEM. */
static ssize_t syscall_diff_find_row(struct syscall_diff *diff, const struct syscall_sums *sums)
{
	for (size_t i = 0; i < diff->n; i++)
		if (syscall_diff_is_same(&diff->list[i], sums))
			return (ssize_t)i;
	if (mem_reserve(&diff->list, &diff->cap, diff->n + 1, sizeof(*diff->list)) < 0)
		return -ENOMEM;
	/* Both sides get the number, even without a complete call. */
	diff->list[diff->n] = (struct syscall_change){ .before.number = sums->number,
						       .after.number = sums->number };
	return (ssize_t)diff->n++;
}

static int syscall_diff_sum_up(struct syscall_sums *sum, const struct syscall_sums *from)
{
	if (!syscall_change_calls(sum))
		sum->number = from->number;
	sum->name = sum->name ?: from->name;
	if (from->count && (!sum->count || from->min < sum->min))
		sum->min = from->min;
	if (from->count && (!sum->count || from->max > sum->max)) {
		sum->max = from->max;
		sum->slowest_time = from->slowest_time;
		sum->slowest_pid = from->slowest_pid;
	}
	sum->count += from->count;
	sum->cut += from->cut;
	sum->begun_before += from->begun_before;
	sum->open_at_end += from->open_at_end;
	sum->cut_total += from->cut_total;
	sum->restarted += from->restarted;
	sum->interrupted += from->interrupted;
	sum->no_exit += from->no_exit;
	sum->ended_in += from->ended_in;
	sum->ended_total += from->ended_total;
	sum->failed += from->failed;
	sum->total += from->total;
	sum->asleep += from->asleep;
	sum->runnable += from->runnable;
	sum->knows_sleep |= from->knows_sleep;
	sum->own += from->own;
	for (size_t i = 0; i < from->errors.n; i++)
		error_counts_add(&sum->errors, from->errors.list[i].code,
				 from->errors.list[i].count);
	return spread_merge(&sum->spread, &from->spread);
}

static int add_run(struct syscall_diff *diff, const struct syscalls *run, bool after)
{
	int r = 0;

	for (size_t i = 0; i < run->n && r == 0; i++) {
		ssize_t at = syscall_diff_find_row(diff, &run->list[i]);

		if (at < 0)
			return (int)at;
		r = syscall_diff_sum_up(after ? &diff->list[at].after : &diff->list[at].before,
					&run->list[i]);
		*(after ? &diff->after : &diff->before) += syscall_sums_time(&run->list[i]);
	}
	return r;
}

/* Fills in the cells of one run. */
static void fill_cells(struct syscall_diff *diff, const struct syscalls *run,
		       struct noise_cell *cells, size_t n_runs)
{
	struct time_range range = { 0 };

	for (size_t i = 0; i < run->n; i++)
		time_range_add(&range, &run->list[i].blocks);
	for (size_t i = 0; i < run->n; i++) {
		const struct syscall_sums *sums = &run->list[i];
		ssize_t at = syscall_diff_find_row(diff, sums);

		if (at >= 0)
			cells[(size_t)at * n_runs] = (struct noise_cell){
				.calls = syscall_change_calls(sums),
				.outermost = syscall_change_calls(sums),
				.time = time_blocks_average(&sums->blocks, &range)
			};
	}
}

static int syscall_diff_judge(struct syscall_diff *diff, const struct syscalls *const *before,
			      const struct syscalls *const *after)
{
	size_t n_runs = diff->n_before + diff->n_after;
	_cleanup_free_ struct noise_cell *cells = mem_zalloc(diff->n * n_runs + 1, sizeof(*cells));
	_cleanup_free_ struct noise_row *rows = mem_zalloc(diff->n + 1, sizeof(*rows));
	int r;

	if (!cells || !rows)
		return -ENOMEM;
	for (size_t i = 0; i < n_runs; i++)
		fill_cells(diff, i < diff->n_before ? before[i] : after[i - diff->n_before],
			   cells + i, n_runs);
	r = noise_judge(cells, diff->n_before, diff->n_after, NULL, 0, rows, diff->n, &diff->noise);
	for (size_t i = 0; i < diff->n && r == 0; i++)
		diff->list[i].noise = rows[i];
	return r;
}

static unsigned rank_of(const struct syscall_diff *diff, const struct syscall_change *change)
{
	if (change->noise.count != NOISE_COUNT_UNSEEN)
		return 2;
	return syscall_change_calls(&change->before) * diff->n_after !=
	       syscall_change_calls(&change->after) * diff->n_before;
}

static int syscall_diff_compare(const void *pa, const void *pb, void *arg)
{
	const struct syscall_change *a = pa, *b = pb;

	return order_falling(rank_of(arg, a), rank_of(arg, b)) ?:
		       order_falling((uint64_t)llabs(syscall_change_time(arg, a)), (uint64_t)llabs(syscall_change_time(arg, b))) ?:
		       strcmp(syscall_change_name(a) ?: "", syscall_change_name(b) ?: "");
}

int syscall_diff_make(const struct syscalls *const *before, size_t n_before,
		      const struct syscalls *const *after, size_t n_after,
		      struct syscall_diff *ret_diff)
{
	int r = 0;

	if (!n_before || !n_after)
		return -EINVAL;
	*ret_diff = (struct syscall_diff){ .n_before = n_before, .n_after = n_after };
	for (size_t i = 0; i < n_before && r == 0; i++)
		r = add_run(ret_diff, before[i], false);
	for (size_t i = 0; i < n_after && r == 0; i++)
		r = add_run(ret_diff, after[i], true);
	ret_diff->before /= n_before;
	ret_diff->after /= n_after;
	r = r ?: syscall_diff_judge(ret_diff, before, after);
	if (r < 0)
		syscall_diff_done(ret_diff);
	else if (ret_diff->n)
		qsort_r(ret_diff->list, ret_diff->n, sizeof(*ret_diff->list), syscall_diff_compare,
			ret_diff);
	return r;
}

void syscall_diff_done(struct syscall_diff *diff)
{
	for (size_t i = 0; i < diff->n; i++) {
		spread_done(&diff->list[i].before.spread);
		spread_done(&diff->list[i].after.spread);
	}
	free(diff->list);
	*diff = (struct syscall_diff){ 0 };
}
