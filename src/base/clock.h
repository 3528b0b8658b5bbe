/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clock readings as a single number. */
#ifndef FATHOM_BASE_CLOCK_H
#define FATHOM_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of @clock in nanoseconds, or 0 if the kernel does not have that clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
