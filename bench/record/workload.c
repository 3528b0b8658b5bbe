/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload FILE KIND COUNT: does some work COUNT times and writes to FILE when it started
 * and ended (nanoseconds of CLOCK_MONOTONIC) and how much CPU time it used (microseconds).
 *
 *	dd	reads 512 bytes from /dev/zero and writes them to /dev/null
 *	files	creates, writes, reads and removes a file; looks up one that does not exist
 *	marker	writes 1,000 bytes to the trace_marker of the top level, occasionally pausing
 *	none	nothing
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void check(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

static void copy(unsigned long count)
{
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	char block[512];

	check(zero >= 0 && null >= 0, "/dev/zero");
	for (unsigned long i = 0; i < count; i++) {
		check(read(zero, block, sizeof(block)) == sizeof(block), "read");
		check(write(null, block, sizeof(block)) == sizeof(block), "write");
	}
	close(zero);
	close(null);
}

static void files(unsigned long count)
{
	char name[64], block[4096] = { 0 };
	struct stat st;

	snprintf(name, sizeof(name), "/dev/shm/workload-%d", getpid());
	for (unsigned long i = 0; i < count; i++) {
		int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);

		check(fd >= 0, name);
		check(write(fd, block, sizeof(block)) == sizeof(block), "write");
		check(pread(fd, block, sizeof(block), 0) == sizeof(block), "read");
		close(fd);
		check(unlink(name) == 0, "unlink");
		stat("/dev/shm/no-such-file", &st);
	}
}

static void marker(unsigned long count)
{
	int fd = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	char text[1000];

	check(fd >= 0, "trace_marker");
	memset(text, 'x', sizeof(text));
	for (unsigned long i = 0; i < count; i++) {
		check(write(fd, text, sizeof(text)) == sizeof(text), "write");
		if (i % 1000 == 999)
			usleep(1000);
	}
	close(fd);
}

int main(int argc, char *argv[])
{
	unsigned long count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	uint64_t begin = now(), end;
	struct rusage use;
	FILE *out;

	if (argc != 4) {
		fprintf(stderr, "usage: workload FILE dd|files|marker|none COUNT\n");
		return 2;
	}
	if (strcmp(argv[2], "dd") == 0)
		copy(count);
	else if (strcmp(argv[2], "files") == 0)
		files(count);
	else if (strcmp(argv[2], "marker") == 0)
		marker(count);
	end = now();
	getrusage(RUSAGE_SELF, &use);
	out = fopen(argv[1], "we");
	check(out, argv[1]);
	fprintf(out, "%" PRIu64 " %" PRIu64 " %ld\n", begin, end,
		(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 + use.ru_utime.tv_usec +
			use.ru_stime.tv_usec);
	return fclose(out) == 0 ? 0 : 1;
}
