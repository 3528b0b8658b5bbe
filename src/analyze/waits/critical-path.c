/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/waits/critical-path.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SHORT_FIRST  1000 /* ns: initial threshold for folding */
#define SMALL_NUMBER 26 /* bits */

bool critical_what_eq(const struct critical_what *a, const struct critical_what *b)
{
	return a->kind == b->kind && a->reason == b->reason && a->source == b->source &&
	       a->task == b->task && a->place == b->place && a->other == b->other &&
	       a->number == b->number && a->operation == b->operation;
}

/* Returns NULL if memory is exhausted. */
static struct critical_sum *find_sum(struct critical_path *path, const struct critical_what *what)
{
	static const char operations[] = "\0RWDFN";
	const char *operation = memchr(operations, what->operation, sizeof(operations) - 1);
	uint64_t where = u64_map_put(&path->wheres, (uint64_t)what->task << 32 | what->place);
	uint64_t other = u64_map_put(&path->others, (uint64_t)what->other << 32 | what->number);
	uint64_t key;

	if (where >> SMALL_NUMBER || other >> SMALL_NUMBER)
		return NULL;
	key = where << (64 - SMALL_NUMBER) | other << (64 - 2 * SMALL_NUMBER) |
	      (uint64_t)what->kind << 9 | (uint64_t)what->reason << 6 |
	      (uint64_t)what->source << 3 |
	      (uint64_t)(operation ? (size_t)(operation - operations) : sizeof(operations) - 2);
	return u64_map_element(&path->keys, key, &path->sums, &path->n_sums, &path->cap_sums,
			       sizeof(*path->sums));
}

static void critical_path_add_up(struct critical_path *path, const struct critical_segment *segment,
				 bool goes_on)
{
	struct critical_sum *sum = find_sum(path, &segment->what);

	if (!sum) {
		path->nomem = true;
		return;
	}
	sum->what = segment->what;
	sum->total += segment->end - segment->start;
	sum->count += !goes_on;
}

static void fold_into(struct critical_segment *to, const struct critical_segment *next)
{
	to->end = next->end;
	to->n += next->n;
	to->level = to->level < next->level ? to->level : next->level;
	if (next->longest > to->longest) {
		to->longest = next->longest;
		to->what = next->what;
	}
}

void critical_path_fold(struct critical_path *path, uint64_t min)
{
	size_t n = 0;

	for (size_t i = 0; i < path->n; i++) {
		struct critical_segment *last = n ? &path->list[n - 1] : NULL;

		if (last && last->longest < min && path->list[i].longest < min)
			fold_into(last, &path->list[i]);
		else
			path->list[n++] = path->list[i];
	}
	if (n < path->n && path->folded_below < min)
		path->folded_below = min;
	path->n = n;
}

static void critical_path_make_room(struct critical_path *path)
{
	uint64_t min = path->folded_below > SHORT_FIRST / 2 ? 2 * path->folded_below : SHORT_FIRST;

	for (; path->n > CRITICAL_SEGMENTS_MAX / 2; min = min > UINT64_MAX / 2 ? min : 2 * min)
		critical_path_fold(path, min);
}

void critical_path_add(struct critical_path *path, const struct critical_segment *segment)
{
	struct critical_segment *last = path->n ? &path->list[path->n - 1] : NULL;

	bool goes_on = last && last->n == 1 && last->level == segment->level &&
		       critical_what_eq(&last->what, &segment->what);

	if (segment->end <= segment->start)
		return;
	critical_path_add_up(path, segment, goes_on);
	if (goes_on) {
		last->end = segment->end;
		last->longest = last->end - last->start;
		return;
	}
	if (path->n >= CRITICAL_SEGMENTS_MAX)
		critical_path_make_room(path);
	if (mem_reserve(&path->list, &path->cap, path->n + 1, sizeof(*path->list)) < 0) {
		path->nomem = true;
		return;
	}
	path->list[path->n] = *segment;
	path->list[path->n].n = 1;
	path->list[path->n++].longest = segment->end - segment->start;
}

void critical_path_done(struct critical_path *path)
{
	u64_map_done(&path->keys);
	u64_map_done(&path->wheres);
	u64_map_done(&path->others);
	free(path->sums);
	free(path->list);
	memset(path, 0, sizeof(*path));
}
