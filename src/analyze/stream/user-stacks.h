/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user stack of each task at its current system call: the first one recorded since the entry,
 * or a better one. Uses memory per task. If it is exhausted, @nomem is set, and some stacks are
 * missing. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_USER_STACKS_H
#define FATHOM_ANALYZE_STREAM_USER_STACKS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define USER_STACK_MAX 16

struct user_stack {
	uint64_t time; /* when it was recorded */
	uint64_t entry; /* when the task's last system call began */
	int32_t process;
	unsigned n; /* 0: none was recorded */
	bool is_unwound; /* by unwind tables, not by frame pointers, which many programs lack */
	uint64_t end; /* why the stack ends here: enum sample_end */
	uint64_t frames[USER_STACK_MAX]; /* addresses, innermost first */
};

/* Empty when zero-initialized. */
struct user_stacks {
	struct u64_map pids; /* pid -> index in @list */
	struct user_stack *list;
	size_t n, cap;
	bool nomem;
};

/* Stores the stack of a DECODED_USER_STACK, unless @stack already has one that is as good. */
void user_stack_take(struct user_stack *stack, const struct decoded_event *decoded);
/* Call for every event, in chronological order. */
void user_stacks_feed(struct user_stacks *stacks, const struct decoded_event *decoded);
/*
 * Returns the stack of the system call that the task is in or that ends right now. @n is 0 if none
 * was recorded.
 */
struct user_stack user_stacks_get(const struct user_stacks *stacks, int32_t pid);
void user_stacks_done(struct user_stacks *stacks);

#endif
