/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where in their programs tasks were when they began the system call that they are in: the first stack
 * that was recorded since. Memory is that of the tasks.
 */
#ifndef FATHOM_ANALYZE_STREAM_USER_STACKS_H
#define FATHOM_ANALYZE_STREAM_USER_STACKS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define USER_STACK_MAX 16

struct user_stack {
	uint64_t time; /* of the record of it */
	uint64_t entry; /* when the task began the last system call */
	int32_t process;
	unsigned n; /* 0: none was recorded */
	bool is_unwound; /* by rules in the files, and not by frame pointers, which many programs lack */
	uint64_t end; /* why there are no more: enum sample_end */
	uint64_t frames[USER_STACK_MAX]; /* addresses, from the innermost */
};

/* Zero-initialised is empty. */
struct user_stacks {
	struct u64_map pids; /* places in @list */
	struct user_stack *list;
	size_t n, cap;
	bool nomem;
};

/* Takes it from a DECODED_USER_STACK, unless what it has is as good. */
void user_stack_take(struct user_stack *stack, const struct decoded_event *decoded);
/* To be fed with all events, in order of time. */
void user_stacks_feed(struct user_stacks *stacks, const struct decoded_event *decoded);
/* That of the system call that the task is in, or that ends right now; empty if there is none. */
struct user_stack user_stacks_get(const struct user_stacks *stacks, int32_t pid);
void user_stacks_done(struct user_stacks *stacks);

#endif
