/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elapsed N COMMAND [ARGUMENT...]: runs the command N times, with its output discarded, and prints
 * the median of the elapsed times in nanoseconds.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/order.h"

#define RUNS_MAX 1000

static void become(char **argv)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(125);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	uint64_t took[RUNS_MAX];
	unsigned long n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (!n || n > RUNS_MAX) {
		fprintf(stderr, "usage: elapsed N COMMAND [ARGUMENT...]\n");
		return 2;
	}
	for (unsigned long i = 0; i < n; i++) {
		uint64_t begin = clock_ns(CLOCK_MONOTONIC);
		pid_t pid = fork();
		int status;

		if (pid == 0)
			become(argv + 2);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 1;
		took[i] = clock_ns(CLOCK_MONOTONIC) - begin;
	}
	qsort(took, n, sizeof(took[0]), order_rising_u64);
	printf("%" PRIu64 "\n", took[n / 2]);
	return 0;
}
