/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DIRECT 65536 /* covers all event IDs, and most pids */

static struct count *find_new(struct counts *counts, uint64_t key)
{
	struct count *count = u64_map_element(&counts->places, key, &counts->list, &counts->n,
					      &counts->cap, sizeof(*counts->list));

	if (!count) {
		counts->nomem = true;
		return NULL;
	}
	count->key = key;
	if (!counts->direct)
		counts->direct = mem_zalloc(DIRECT, sizeof(*counts->direct));
	if (!counts->direct)
		counts->nomem = true;
	else if (key < DIRECT)
		counts->direct[key] = (uint32_t)(count - counts->list) + 1;
	return count;
}

static inline struct count *counts_find(struct counts *counts, uint64_t key)
{
	if (__builtin_expect(key < DIRECT && counts->direct && counts->direct[key], 1))
		return &counts->list[counts->direct[key] - 1];
	return find_new(counts, key);
}

static void counts_add(struct count *count, uint64_t time)
{
	/* If the clock of a CPU jumps back, later events can have earlier times. */
	if (!count->n || time < count->first)
		count->first = time;
	if (time > count->last)
		count->last = time;
	count->n++;
}

static void counts_add_lost(struct count *count, uint64_t missed)
{
	if (missed == FATHOM_MISSED_UNKNOWN)
		count->lost_unknown = true;
	else
		count->lost += missed;
}

void counts_feed(struct counts *counts, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	uint64_t key = event->id;
	struct count *count;

	if (counts->by == COUNTS_BY_CPU && event->missed) {
		count = counts_find(counts, event->cpu);
		if (count)
			counts_add_lost(count, event->missed);
	}
	if (decoded->unwanted)
		return;
	if (counts->by == COUNTS_BY_TASK)
		key = (uint32_t)event->pid;
	else if (counts->by == COUNTS_BY_CPU)
		key = event->cpu;
	else if (counts->by == COUNTS_BY_FUNCTION) {
		if (decoded->kind != DECODED_FUNCTION)
			return;
		key = func_table_find(&counts->funcs, decoded->call.func);
		if (key == FUNC_NONE) {
			counts->nomem = true;
			return;
		}
	}
	count = counts_find(counts, key);
	if (!count)
		return;
	count->entry = decoded->entry;
	counts_add(count, event->time);
}

int counts_finish(const struct counts *counts)
{
	return counts->nomem ? -ENOMEM : 0;
}

void counts_done(struct counts *counts)
{
	u64_map_done(&counts->places);
	func_table_done(&counts->funcs);
	free(counts->list);
	free(counts->direct);
	memset(counts, 0, sizeof(*counts));
}
