/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system calls of two recordings side by side, those with the same name in one row. */
#ifndef FATHOM_ANALYZE_SYSCALL_DIFF_H
#define FATHOM_ANALYZE_SYSCALL_DIFF_H

#include "analyze/syscalls.h"

struct syscall_change {
	/* In the recordings, which must outlive it; with no calls where one has none. */
	const struct syscall_sums *before, *after;
};

struct syscall_diff {
	struct syscall_change *list; /* the largest changes come first */
	size_t n, cap;
	uint64_t before, after; /* the time of all */
};

/* 0 or -ENOMEM. */
int syscall_diff_make(const struct syscalls *before, const struct syscalls *after,
		      struct syscall_diff *ret_diff);
void syscall_diff_done(struct syscall_diff *diff);
/* How much longer they took in all; negative: not as long. */
int64_t syscall_change_time(const struct syscall_change *change);
/* Of the one recording that has it. */
const char *syscall_change_name(const struct syscall_change *change);

#endif
