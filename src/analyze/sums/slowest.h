/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The few longest of many things that took time, and when and where they were. */
#ifndef FATHOM_ANALYZE_SUMS_SLOWEST_H
#define FATHOM_ANALYZE_SUMS_SLOWEST_H

#include <stddef.h>
#include <stdint.h>

#define SLOWEST_MAX 5

/* Something that took time. */
struct instance {
	uint64_t start, duration;
	int32_t pid; /* who did it, or was there */
	uint32_t cpu; /* where it ended */
};

/* Zero-initialised is empty. */
struct slowest {
	struct instance list[SLOWEST_MAX]; /* the longest first; of equal ones the earliest */
	size_t n;
};

void slowest_add(struct slowest *slowest, const struct instance *instance);

#endif
