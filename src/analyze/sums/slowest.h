/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The few longest of many instances, with their time and place. Fixed size: allocates nothing and
 * cannot fail.
 */
#ifndef FATHOM_ANALYZE_SUMS_SLOWEST_H
#define FATHOM_ANALYZE_SUMS_SLOWEST_H

#include <stddef.h>
#include <stdint.h>

#define SLOWEST_MAX 5

/* One occurrence of something that takes time. */
struct instance {
	uint64_t start, duration;
	int32_t pid; /* the task that did it, or that was running */
	uint32_t cpu; /* on which it ended */
};

/* Empty when zero-initialized. */
struct slowest {
	struct instance list[SLOWEST_MAX]; /* longest first; equal ones as they were added */
	size_t n;
};

void slowest_add(struct slowest *slowest, const struct instance *instance);

#endif
