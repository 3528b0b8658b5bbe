/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure FILE COMMAND...: runs the command and writes to FILE its start and end (in nanoseconds of
 * CLOCK_MONOTONIC), the CPU time of it and of the processes that it waited for (in microseconds),
 * and the number of bytes that they wrote to disks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char *argv[])
{
	uint64_t begin = now(), end;
	struct rusage use;
	FILE *out;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND...\n");
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
		perror("measure");
		return 1;
	}
	end = now();
	out = fopen(argv[1], "we");
	if (!out) {
		perror(argv[1]);
		return 1;
	}
	fprintf(out, "%" PRIu64 " %" PRIu64 " %ld %ld\n", begin, end,
		(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 + use.ru_utime.tv_usec +
			use.ru_stime.tv_usec,
		use.ru_oublock * 512);
	if (fclose(out) != 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
