// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the kernel call functions with known values, and then prints what probes on them should have
 * recorded, one line each, in order.
 *
 * usage: probe-target DIRECTORY COUNT
 *
 *	open NAME FLAGS MODE		COUNT times, relative to a directory that is DFD
 *	dfd DFD
 *	read COUNT POSITION RESULT	COUNT times, of a file called probe-target.data
 *	fork PID			ten times
 *	option OPTION NONAGLE		system calls getsockopt() for a TCP socket, with bits of it
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA_SIZE 4096
#define FORKS	  10
#define LARGEFILE 0100000 /* flag that the kernel adds for 64-bit programs */

static char *told;
static size_t told_len;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Printed at the end, because our own writes would also be traced. */
static void tell(FILE *f, const char *fmt, long a, long b, long c)
{
	if (fprintf(f, fmt, a, b, c) < 0)
		die("tell");
}

static void open_files(FILE *f, int dir, int count)
{
	static const int flags[] = { O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_APPEND,
				     O_RDWR | O_CREAT | O_TRUNC | O_NONBLOCK };
	char name[32];

	for (int i = 0; i < count; i++) {
		int flag = flags[i % 3], mode = 0600 + i % 64, fd;

		snprintf(name, sizeof(name), "target-%04d", i);
		fd = openat(dir, name, flag, mode);
		if (fd < 0)
			die(name);
		close(fd);
		unlinkat(dir, name, 0);
		fprintf(f, "open %s %d %d\n", name, flag | LARGEFILE, mode);
	}
	tell(f, "dfd %ld\n", dir, 0, 0);
}

/* Some at the end of the file, far beyond it, and where nothing can be written. */
static void read_file(FILE *f, int dir, int count)
{
	static char buffer[DATA_SIZE];
	int fd = openat(dir, "probe-target.data", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, buffer, sizeof(buffer)) != sizeof(buffer))
		die("probe-target.data");
	for (int i = 0; i < count; i++) {
		long size = i % 997 + 1, at = i % 10 == 7 ? (1L << 40) + i : i % 4096;
		void *to = i % 10 == 3 ? NULL : buffer;
		long r = syscall(SYS_pread64, fd, to, size, at);

		tell(f, "read %ld %ld %ld\n", size, at, r < 0 ? -errno : r);
	}
	close(fd);
}

static void fork_some(FILE *f)
{
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("fork");
		tell(f, "fork %ld\n", pid, 0, 0);
	}
}

/* The kernel's representation of these options: a bit for nodelay, one for cork, one for "push". */
static void set_options(FILE *f)
{
	static const struct {
		int option, value, bits;
	} steps[] = {
		{ 0, 0, 0 },	       { TCP_NODELAY, 1, 5 }, { TCP_CORK, 1, 7 },
		{ TCP_NODELAY, 0, 6 }, { TCP_CORK, 0, 4 },
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		die("socket");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int value = steps[i].value;
		socklen_t len = sizeof(value);

		if (steps[i].option &&
		    setsockopt(fd, IPPROTO_TCP, steps[i].option, &value, sizeof(value)) < 0)
			die("setsockopt");
		if (getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &value, &len) < 0)
			die("getsockopt");
		tell(f, "option %ld %ld\n", TCP_MAXSEG, steps[i].bits, 0);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	int dir = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY) : -1;
	int count = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0;
	FILE *f = open_memstream(&told, &told_len);

	if (dir < 0 || count <= 0 || !f) {
		fprintf(stderr, "usage: probe-target DIRECTORY COUNT\n");
		return 2;
	}
	open_files(f, dir, count);
	read_file(f, dir, count);
	fork_some(f);
	set_options(f);
	if (fclose(f) != 0)
		die("tell");
	fwrite(told, 1, told_len, stdout);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
