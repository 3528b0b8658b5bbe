/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges many streams: a loser tree. Each inner node keeps the loser of the match between its two
 * subtrees, so that a new key for the winner costs one comparison per level. Keys are compared by
 * time, then by number. Only merge_init() allocates.
 */
#ifndef FATHOM_READ_MERGE_H
#define FATHOM_READ_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_key {
	uint64_t time;
	uint32_t number; /* of the stream; with MERGE_NONE set: it has no event */
};

#define MERGE_NONE (1U << 31)

struct merge {
	struct merge_key *nodes; /* [0]: the winner; [1 .. leaves - 1]: losers */
	uint32_t leaves; /* power of two */
	struct merge_key second; /* the best key that the winner has beaten */
};

int merge_init(struct merge *merge, size_t n);
void merge_done(struct merge *merge);
/*
 * Replays all matches; @keys are those of the @n streams, at most the number given to merge_init().
 */
void merge_build(struct merge *merge, const struct merge_key *keys, size_t n);
/* Updates @second after the winner has changed. */
void merge_find_second(struct merge *merge, uint32_t leaf);

static inline bool merge_before(struct merge_key a, struct merge_key b)
{
	return a.time < b.time || (a.time == b.time && a.number < b.number);
}

static inline struct merge_key merge_end_key(uint32_t leaf)
{
	return (struct merge_key){ .time = UINT64_MAX, .number = MERGE_NONE | leaf };
}

/* Replaces the key of the winner, which is at @leaf. */
static inline void merge_update(struct merge *merge, uint32_t leaf, struct merge_key key)
{
	for (uint32_t i = (merge->leaves + leaf) / 2; i; i /= 2) {
		struct merge_key other = merge->nodes[i];
		bool lost = merge_before(other, key);

		merge->nodes[i] = lost ? key : other;
		key = lost ? other : key;
	}
	merge->nodes[0] = key;
	merge_find_second(merge, key.number & ~MERGE_NONE);
}

#endif
