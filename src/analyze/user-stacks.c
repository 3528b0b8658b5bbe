/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/user-stacks.h"

#include <stdlib.h>

void user_stack_take(struct user_stack *stack, const struct happening *happening)
{
	uint64_t address;

	stack->time = happening->event->time;
	stack->process = happening->sample.process;
	/* The kernel fills what is left with zeros, or with ones. */
	while (stack->n < USER_STACK_MAX && happening_frame(happening, stack->n, &address) &&
	       address && (uint32_t)address != UINT32_MAX)
		stack->frames[stack->n++] = address;
}

void user_stacks_feed(struct user_stacks *stacks, const struct happening *happening)
{
	struct user_stack *stack;

	if (happening->kind != HAPPENING_SYSCALL_ENTRY && happening->kind != HAPPENING_USER_STACK)
		return;
	stack = u64_map_element(&stacks->pids, (uint32_t)happening->event->pid, &stacks->list,
				&stacks->n, &stacks->cap, sizeof(*stack));
	if (!stack) {
		stacks->nomem = true;
		return;
	}
	if (happening->kind == HAPPENING_SYSCALL_ENTRY)
		stack->n = 0;
	else if (!stack->n)
		user_stack_take(stack, happening);
}

struct user_stack user_stacks_get(const struct user_stacks *stacks, int32_t pid)
{
	uint32_t at = u64_map_get(&stacks->pids, (uint32_t)pid);

	return at == U64_MAP_NONE ? (struct user_stack){ 0 } : stacks->list[at];
}

void user_stacks_done(struct user_stacks *stacks)
{
	free(stacks->list);
	u64_map_done(&stacks->pids);
}
