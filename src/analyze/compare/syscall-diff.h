/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares the system calls of runs before and after a change: calls with the same name are one
 * row. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COMPARE_SYSCALL_DIFF_H
#define FATHOM_ANALYZE_COMPARE_SYSCALL_DIFF_H

#include "analyze/compare/noise.h"
#include "analyze/syscalls/syscalls.h"

struct syscall_change {
	/* Sums over the runs of each side; empty if there are no calls. */
	struct syscall_sums before, after;
	struct noise_row noise;
};

struct syscall_diff {
	/*
	 * Sorted: calls whose number has changed by more than noise, then others whose number
	 * differs, then the rest; among these by change of time, largest first.
	 */
	struct syscall_change *list;
	size_t n, cap;
	size_t n_before, n_after; /* number of runs */
	uint64_t before, after; /* time of all calls per run */
	struct noise noise;
};

/*
 * Needs at least one run on each side; the runs must outlive the result. Returns 0, -EINVAL with
 * *@ret_diff untouched, or -ENOMEM with it empty.
 */
int syscall_diff_make(const struct syscalls *const *before, size_t n_before,
		      const struct syscalls *const *after, size_t n_after,
		      struct syscall_diff *ret_diff);
void syscall_diff_done(struct syscall_diff *diff);
/* Returns how much longer the calls took per run; negative if less. */
int64_t syscall_change_time(const struct syscall_diff *diff, const struct syscall_change *change);
/* Returns the name, or NULL if only the number is known. Belongs to one of the runs. */
const char *syscall_change_name(const struct syscall_change *change);
/* Returns the number of calls, complete or not. */
uint64_t syscall_change_calls(const struct syscall_sums *sums);

#endif
