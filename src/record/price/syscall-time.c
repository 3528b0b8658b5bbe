/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/price/syscall-time.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/order.h"

#define ROUND	   20 /* system calls */
#define ROUNDS_MAX 101
#define ROUNDS_MIN 15 /* with fewer, the median is arbitrary on a busy machine */
#define SPEND_NS   20000000
#define NO_SUCH	   10000 /* not the number of a system call */
#define WORK	   500 /* multiplications */
#define WARM_NS	   5000000 /* an idle CPU reaches full speed in this time */

static void make_call(enum syscall_kind kind, const char *path)
{
	switch (kind) {
	case SYSCALL_NONE:
		syscall(NO_SUCH);
		break;
	case SYSCALL_PATH:
	case SYSCALL_LONG_PATH:
		syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
		break;
	default:
		syscall(SYS_getppid);
		break;
	}
}

static void make_round(enum syscall_kind kind)
{
	/* The root directory, with any number of slashes. */
	char path[SYSCALL_LONG_PATH_BYTES + 1] = "/";

	if (kind == SYSCALL_LONG_PATH)
		memset(path, '/', SYSCALL_LONG_PATH_BYTES);
	for (unsigned i = 0; i < ROUND; i++)
		make_call(kind, path);
}

/* Computes without entering the kernel. */
static void syscall_time_work(void)
{
	volatile uint64_t x = 1;

	for (unsigned i = 0; i < WORK; i++)
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
}

static void warm_up(enum syscall_kind kind)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	while (clock_ns(CLOCK_MONOTONIC) - begin < WARM_NS)
		syscall_time_work();
	/* The first round takes longer, with cold caches. */
	make_round(kind);
}

static double syscall_time_median(uint64_t *took, size_t n)
{
	size_t middle = n / 2;

	qsort(took, n, sizeof(took[0]), order_rising_u64);
	return (double)took[middle];
}

struct syscall_time syscall_time_measure(enum syscall_kind kind)
{
	uint64_t begin, last, calls = 0, took[ROUNDS_MAX], worked[ROUNDS_MAX];
	size_t n = 0;

	warm_up(kind);
	begin = last = clock_ns(CLOCK_MONOTONIC);
	while (n < ROUNDS_MAX && (n < ROUNDS_MIN || last - begin < SPEND_NS)) {
		uint64_t made;

		make_round(kind);
		took[n] = clock_ns(CLOCK_MONOTONIC) - last;
		calls += took[n];
		/* Warm the caches again, which the kernel has used. */
		syscall_time_work();
		made = clock_ns(CLOCK_MONOTONIC);
		syscall_time_work();
		last = clock_ns(CLOCK_MONOTONIC);
		worked[n++] = last - made;
	}
	return (struct syscall_time){ .ns = syscall_time_median(took, n) / ROUND,
				      .mean_ns = (double)calls / (double)(n * ROUND),
				      .work_ns = syscall_time_median(worked, n),
				      .calls = (n + 1) * ROUND };
}
