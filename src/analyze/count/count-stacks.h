/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers the stacks that are keys of a plan. Not thread-safe. */
#ifndef FATHOM_ANALYZE_COUNT_COUNT_STACKS_H
#define FATHOM_ANALYZE_COUNT_COUNT_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64-map.h"

#define COUNT_STACK_MAX 127 /* further frames are left out */

/* In keys, instead of a number. */
#define COUNT_STACK_NONE  (-1) /* unknown */
#define COUNT_STACK_LATER (-2) /* not recorded yet; see count-waiting.h */

struct count_stack {
	int32_t process; /* whose memory the addresses refer to; 0: the kernel */
	uint32_t n;
	uint64_t time; /* at which it was first seen */
	const uint64_t *frames; /* addresses, innermost first */
};

/* Empty when zero-initialized. */
struct count_stacks {
	struct u64_map hashes;
	struct count_stack *list;
	size_t n, cap;
	struct arena arena;
};

/* Returns the number of the stack, which is copied if it is new, or -1 if memory is exhausted. */
int64_t count_stacks_put(struct count_stacks *stacks, const struct count_stack *stack);
/* Returns NULL if there is none. */
const struct count_stack *count_stacks_get(const struct count_stacks *stacks, int64_t id);
void count_stacks_done(struct count_stacks *stacks);

#endif
