/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system calls of runs from before a change and from after it side by side, those with the same name in one row. */
#ifndef FATHOM_ANALYZE_COMPARE_SYSCALL_DIFF_H
#define FATHOM_ANALYZE_COMPARE_SYSCALL_DIFF_H

#include "analyze/compare/noise.h"
#include "analyze/syscalls/syscalls.h"

struct syscall_change {
	/* The sums of all runs of a side; with no calls where it has none. */
	struct syscall_sums before, after;
	struct noise_row noise;
};

struct syscall_diff {
	/* Those whose number has changed by more than noise come first, then others that are on one side only or
	   differ in number, then all others; among them the largest changes of time. */
	struct syscall_change *list;
	size_t n, cap;
	size_t n_before, n_after; /* runs */
	uint64_t before, after; /* the time of all, in a run */
	struct noise noise;
};

/* The runs, at least one on each side, must outlive the result. Returns 0 or a negative errno. */
int syscall_diff_make(const struct syscalls *const *before, size_t n_before,
		      const struct syscalls *const *after, size_t n_after,
		      struct syscall_diff *ret_diff);
void syscall_diff_done(struct syscall_diff *diff);
/* How much longer they took in a run; negative: not as long. */
int64_t syscall_change_time(const struct syscall_diff *diff, const struct syscall_change *change);
/* Of one of the recordings that have it. */
const char *syscall_change_name(const struct syscall_change *change);
/* Of which there is something at all. */
uint64_t syscall_change_calls(const struct syscall_sums *sums);

#endif
