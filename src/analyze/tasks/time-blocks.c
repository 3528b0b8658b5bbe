/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/time-blocks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCKS_MAX  32
#define SHIFT_FIRST 10
/* Neighbors are merged into at most this many groups, because larger ones are less correlated. */
#define GROUPS_MAX 16
/* With fewer groups, their variance is unknown. */
#define GROUPS_LEAST 4
/* The same for the windows of the run. */
#define WINDOWS_LEAST 8

static void block_add(struct time_block *block, const struct time_block *from)
{
	block->count += from->count;
	block->sum += from->sum;
	block->squares += from->squares;
}

/* Doubles the length of the windows by merging pairs. */
static void widen(struct time_blocks *blocks)
{
	uint64_t first = blocks->first >> 1;
	size_t n = 0;

	for (size_t i = 0; i < blocks->n; i++) {
		size_t to = (size_t)(((blocks->first + i) >> 1) - first);
		struct time_block block = blocks->list[i];

		if (to >= n)
			blocks->list[n++] = (struct time_block){ 0 };
		block_add(&blocks->list[to], &block);
	}
	blocks->n = n;
	blocks->first = first;
	blocks->shift++;
}

/*
 * Makes room for the windows from @low to @high, with at least this @shift. Returns 0 or -ENOMEM.
 */
static int time_blocks_reach(struct time_blocks *blocks, uint64_t low, uint64_t high,
			     unsigned shift)
{
	uint64_t first, last;
	size_t n, before;

	if (!blocks->n) {
		blocks->shift = shift;
		blocks->first = low >> shift;
	}
	while (blocks->shift < shift)
		widen(blocks);
	for (;; widen(blocks)) {
		first = low >> blocks->shift;
		last = high >> blocks->shift;
		if (blocks->n && blocks->first < first)
			first = blocks->first;
		if (blocks->n && blocks->first + blocks->n - 1 > last)
			last = blocks->first + blocks->n - 1;
		if (last - first < BLOCKS_MAX)
			break;
	}
	n = (size_t)(last - first) + 1;
	if (mem_reserve(&blocks->list, &blocks->cap, n, sizeof(*blocks->list)) < 0)
		return -ENOMEM;
	before = blocks->n ? (size_t)(blocks->first - first) : 0;
	if (before)
		memmove(blocks->list + before, blocks->list, blocks->n * sizeof(*blocks->list));
	memset(blocks->list, 0, before * sizeof(*blocks->list));
	memset(blocks->list + before + blocks->n, 0,
	       (n - before - blocks->n) * sizeof(*blocks->list));
	blocks->first = first;
	blocks->n = n;
	return 0;
}

int time_blocks_add(struct time_blocks *blocks, uint64_t time, uint64_t duration)
{
	double value = log(duration ? (double)duration : 1);
	const struct time_block block = { .count = 1, .sum = value, .squares = value * value };
	uint64_t at = (time >> blocks->shift) - blocks->first;

	if (!blocks->n || time >> blocks->shift < blocks->first || at >= blocks->n) {
		int r = time_blocks_reach(blocks, time, time,
					  blocks->n ? blocks->shift : SHIFT_FIRST);

		if (r < 0)
			return r;
		at = (time >> blocks->shift) - blocks->first;
	}
	block_add(&blocks->list[at], &block);
	return 0;
}

int time_blocks_merge(struct time_blocks *blocks, const struct time_blocks *from)
{
	int r;

	if (!from->n)
		return 0;
	r = time_blocks_reach(blocks, from->first << from->shift,
			      (from->first + from->n - 1) << from->shift, from->shift);
	for (size_t i = 0; i < from->n && r == 0; i++) {
		uint64_t at = (from->first + i) >> (blocks->shift - from->shift);

		block_add(&blocks->list[at - blocks->first], &from->list[i]);
	}
	return r;
}

void time_blocks_done(struct time_blocks *blocks)
{
	free(blocks->list);
	*blocks = (struct time_blocks){ 0 };
}

/* Merges neighbors into groups of about the same number of calls. Returns the number of groups. */
static size_t time_blocks_make_groups(const struct time_blocks *blocks, uint64_t count,
				      struct time_block *groups)
{
	size_t n = 0;
	bool open = false;

	for (size_t i = 0; i < blocks->n; i++) {
		if (!blocks->list[i].count)
			continue;
		if (!open)
			groups[n++] = (struct time_block){ 0 };
		block_add(&groups[n - 1], &blocks->list[i]);
		open = groups[n - 1].count < (count + GROUPS_MAX - 1) / GROUPS_MAX;
	}
	/* The remainder is too small for a group. */
	if (open && n > 1) {
		block_add(&groups[n - 2], &groups[n - 1]);
		n--;
	}
	return n;
}

void time_range_add(struct time_range *range, const struct time_blocks *blocks)
{
	uint64_t first = blocks->first << blocks->shift;
	uint64_t last = (blocks->first + blocks->n - 1) << blocks->shift;

	if (!blocks->n)
		return;
	range->first = range->known && range->first < first ? range->first : first;
	range->last = range->known && range->last > last ? range->last : last;
	range->known = true;
}

/*
 * Determines the variance common to the calls of a window, by an analysis of variance, and the
 * number of windows.
 */
static void find_swing(const struct time_blocks *blocks, const struct time_range *run,
		       const struct time_block *all, struct time_average *average)
{
	struct time_block windows[BLOCKS_MAX] = { 0 };
	unsigned shift = blocks->shift, n = 0;
	double count = (double)all->count, between = 0, within = all->squares, counts = 0, size;

	while ((run->last >> shift) - (run->first >> shift) >= BLOCKS_MAX)
		shift++;
	for (size_t i = 0; i < blocks->n; i++) {
		uint64_t at =
			((blocks->first + i) >> (shift - blocks->shift)) - (run->first >> shift);

		block_add(&windows[at < BLOCKS_MAX ? at : BLOCKS_MAX - 1], &blocks->list[i]);
	}
	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		double calls = (double)windows[i].count;

		if (!windows[i].count)
			continue;
		n++;
		between += calls * pow(windows[i].sum / calls - average->mean, 2);
		within -= windows[i].sum * windows[i].sum / calls;
		counts += calls * calls;
	}
	average->windows = n;
	average->swing = -1;
	if (n < WINDOWS_LEAST || all->count < 2 * (uint64_t)n)
		return;
	size = (count - counts / count) / (n - 1);
	average->swing = fmax((between / (n - 1) - fmax(within, 0) / (count - n)) / size, 0);
}

struct time_average time_blocks_average(const struct time_blocks *blocks,
					const struct time_range *run)
{
	struct time_block groups[GROUPS_MAX + 1], all = { 0 };
	struct time_average average = { 0 };
	double count, variance, between = 0;
	size_t n;

	for (size_t i = 0; i < blocks->n; i++)
		block_add(&all, &blocks->list[i]);
	average.count = all.count;
	if (!all.count)
		return average;
	count = (double)all.count;
	average.mean = all.sum / count;
	find_swing(blocks, run, &all, &average);
	if (all.count < 2)
		return average;
	variance = (all.squares - all.sum * average.mean) / (count - 1) / count;
	n = time_blocks_make_groups(blocks, all.count, groups);
	for (size_t i = 0; i < n; i++)
		between += pow(groups[i].sum - (double)groups[i].count * average.mean, 2);
	between *= n >= GROUPS_LEAST ? (double)n / (double)(n - 1) / count / count : 0;
	average.variance = fmax(fmax(variance, between), 0);
	return average;
}
