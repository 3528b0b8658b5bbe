/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/count/count-stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

int64_t count_stacks_put(struct count_stacks *stacks, const struct count_stack *stack)
{
	const size_t size = stack->n * sizeof(*stack->frames);
	const uint64_t hash = hash_bytes(stack->frames, size, hash_seed()) ^
			      (uint64_t)(uint32_t)stack->process << 32;
	struct count_stack *found = u64_map_element(&stacks->hashes, hash, &stacks->list,
						    &stacks->n, &stacks->cap, sizeof(*found));
	uint64_t *copy;

	if (!found)
		return -1;
	if (!found->frames) {
		copy = arena_alloc(&stacks->arena, size ? size : 1);
		if (!copy)
			return -1;
		if (size)
			memcpy(copy, stack->frames, size);
		*found = *stack;
		found->frames = copy;
	}
	return found - stacks->list;
}

const struct count_stack *count_stacks_get(const struct count_stacks *stacks, int64_t id)
{
	if (id < 0 || (uint64_t)id >= stacks->n || !stacks->list[id].frames)
		return NULL;
	return &stacks->list[id];
}

void count_stacks_done(struct count_stacks *stacks)
{
	u64_map_done(&stacks->hashes);
	free(stacks->list);
	arena_done(&stacks->arena);
	*stacks = (struct count_stacks){ 0 };
}
