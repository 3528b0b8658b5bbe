/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/syscall-time.h"

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
#define ROUNDS_MIN 15 /* of fewer, a median is any number on a busy machine */
#define SPEND_NS   20000000
#define NO_SUCH	   10000 /* the number of no system call */

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
	/* The root directory, however many bytes there are. */
	char path[SYSCALL_LONG_PATH_BYTES + 1] = "/";

	if (kind == SYSCALL_LONG_PATH)
		memset(path, '/', SYSCALL_LONG_PATH_BYTES);
	for (unsigned i = 0; i < ROUND; i++)
		make_call(kind, path);
}

struct syscall_time syscall_time_measure(enum syscall_kind kind)
{
	uint64_t begin, last, took[ROUNDS_MAX];
	size_t n = 0, middle;

	/* The first one takes longer: nothing is in the caches yet. */
	make_round(kind);
	begin = last = clock_ns(CLOCK_MONOTONIC);
	while (n < ROUNDS_MAX && (n < ROUNDS_MIN || last - begin < SPEND_NS)) {
		uint64_t now;

		make_round(kind);
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
