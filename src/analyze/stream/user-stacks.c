/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/user-stacks.h"

#include <stdlib.h>

#include "format/event/sample-event.h"

/*
 * The first stack is kept, unless a later one is unwound, which is more complete than one from
 * frame pointers.
 */
static bool is_better(const struct user_stack *stack, bool is_unwound)
{
	return !stack->n || (is_unwound && !stack->is_unwound);
}

void user_stack_take(struct user_stack *stack, const struct decoded_event *decoded)
{
	bool is_unwound = decoded->sample.end != SAMPLE_END_FRAME_POINTERS &&
			  decoded->sample.end != SAMPLE_END_LATE &&
			  decoded->sample.end != SAMPLE_END_OTHER_ABI;
	size_t kernel = decoded->sample.kernel;
	uint64_t address;

	if (!is_better(stack, is_unwound))
		return;
	stack->n = 0;
	stack->is_unwound = is_unwound;
	stack->end = decoded->sample.end;
	stack->time = decoded->event->time;
	stack->process = decoded->sample.process;
	/* The kernel pads the stack with zeros or ones. */
	while (stack->n < USER_STACK_MAX && decoded_frame(decoded, kernel + stack->n, &address) &&
	       address && (uint32_t)address != UINT32_MAX)
		stack->frames[stack->n++] = address;
}

void user_stacks_feed(struct user_stacks *stacks, const struct decoded_event *decoded)
{
	struct user_stack *stack;

	if (decoded->kind != DECODED_SYSCALL_ENTRY && decoded->kind != DECODED_USER_STACK)
		return;
	stack = u64_map_element(&stacks->pids, (uint32_t)decoded->event->pid, &stacks->list,
				&stacks->n, &stacks->cap, sizeof(*stack));
	if (!stack) {
		stacks->nomem = true;
		return;
	}
	if (decoded->kind == DECODED_SYSCALL_ENTRY) {
		stack->n = 0;
		stack->entry = decoded->event->time;
	} else {
		user_stack_take(stack, decoded);
	}
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
