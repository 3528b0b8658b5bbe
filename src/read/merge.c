/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

int merge_init(struct merge *merge, size_t n)
{
	merge->leaves = 1;
	while (merge->leaves < n)
		merge->leaves *= 2;
	merge->nodes = mem_zalloc(merge->leaves, sizeof(*merge->nodes));
	return merge->nodes ? 0 : -ENOMEM;
}

void merge_done(struct merge *merge)
{
	free(merge->nodes);
	merge->nodes = NULL;
}

/* Plays the matches in the subtree @i and returns the winner. */
static struct merge_key play(struct merge *merge, const struct merge_key *keys, size_t n,
			     uint32_t i)
{
	struct merge_key a, b;

	if (i >= merge->leaves) {
		uint32_t leaf = i - merge->leaves;

		return leaf < n ? keys[leaf] : merge_end_key(leaf);
	}
	a = play(merge, keys, n, i * 2);
	b = play(merge, keys, n, i * 2 + 1);
	merge->nodes[i] = merge_before(a, b) ? b : a;
	return merge_before(a, b) ? a : b;
}

void merge_build(struct merge *merge, const struct merge_key *keys, size_t n)
{
	merge->nodes[0] = play(merge, keys, n, 1);
	merge_find_second(merge, merge->nodes[0].number & ~MERGE_NONE);
}

void merge_find_second(struct merge *merge, uint32_t leaf)
{
	struct merge_key best = merge_end_key(~MERGE_NONE);

	for (uint32_t i = (merge->leaves + leaf) / 2; i; i /= 2)
		if (merge_before(merge->nodes[i], best))
			best = merge->nodes[i];
	/* If all others have ended, the winner's own end must not win against them. */
	if (best.number & MERGE_NONE)
		best.number = 0;
	merge->second = best;
}
