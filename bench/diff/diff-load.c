/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff-load LOOPS PAGES FSYNCS: the workload of diff-bench. Each loop opens, stats, writes and
 * closes a small file, sends a few bytes through a pipe and reads PAGES pages of /dev/zero; FSYNCS
 * of the loops call fsync(2). PAGES thus determines how long one kernel function takes, and FSYNCS
 * how often one system call is made, while everything else stays the same.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	  4096
#define PAGES_MAX 128

static char data[PAGES_MAX * PAGE];

static void check(long r, const char *what)
{
	if (r >= 0)
		return;
	perror(what);
	exit(1);
}

static void one_loop(int zero, const int *ends, size_t pages, int with_fsync)
{
	char text[64] = "";
	struct stat st;
	int fd = open("diff-load.out", O_CREAT | O_RDWR | O_TRUNC, 0644);

	check(fd, "open");
	check(fstat(fd, &st), "fstat");
	check(write(fd, text, sizeof(text)), "write");
	check(lseek(fd, 0, SEEK_SET), "lseek");
	check(read(fd, text, sizeof(text)), "read");
	if (with_fsync)
		check(fsync(fd), "fsync");
	check(close(fd), "close");
	check(write(ends[1], text, sizeof(text)), "write");
	check(read(ends[0], text, sizeof(text)), "read");
	check(read(zero, data, pages * PAGE), "read");
	check(access("/etc/passwd", R_OK), "access");
	getppid();
}

int main(int argc, char **argv)
{
	int loops = argc > 1 ? atoi(argv[1]) : 100;
	int pages = argc > 2 ? atoi(argv[2]) : 100;
	int fsyncs = argc > 3 ? atoi(argv[3]) : 0;
	int zero = open("/dev/zero", O_RDONLY), ends[2];

	if (pages < 1 || pages > PAGES_MAX) {
		fprintf(stderr, "diff-load: expected 1 to %d pages\n", PAGES_MAX);
		return 2;
	}
	check(zero, "open");
	check(pipe(ends), "pipe");
	/* Touch each page once, so that no page fault occurs later. */
	for (size_t i = 0; i < sizeof(data); i += PAGE)
		data[i] = 1;
	for (int i = 0; i < loops; i++)
		one_loop(zero, ends, (size_t)pages, i < fsyncs);
	return 0;
}
