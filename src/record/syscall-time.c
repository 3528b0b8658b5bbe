/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/syscall-time.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/order.h"

#define ROUND	   20 /* system calls */
#define ROUNDS_MAX 101
#define SPEND_NS   20000000

static void make_round(void)
{
	for (unsigned i = 0; i < ROUND; i++)
		syscall(SYS_getppid);
}

struct syscall_time syscall_time_measure(void)
{
	uint64_t begin, last, took[ROUNDS_MAX];
	size_t n = 0, middle;

	/* The first one takes longer: nothing is in the caches yet. */
	make_round();
	begin = last = clock_ns(CLOCK_MONOTONIC);
	while (n < ROUNDS_MAX && (n < 3 || last - begin < SPEND_NS)) {
		uint64_t now;

		make_round();
		now = clock_ns(CLOCK_MONOTONIC);
		took[n++] = now - last;
		last = now;
	}
	qsort(took, n, sizeof(took[0]), order_rising_u64);
	middle = n / 2;
	return (struct syscall_time){ .ns = (double)took[middle] / ROUND,
				      .mean_ns = (double)(last - begin) / (double)(n * ROUND),
				      .calls = (n + 1) * ROUND };
}
