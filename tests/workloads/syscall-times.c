/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall-times N: makes N system calls of each of several kinds, and prints for each kind the name
 * of the system call and the median of its duration in nanoseconds, as seen by the program. The
 * time that a system call takes without doing anything is subtracted, measured with one that does
 * not exist: reading the clock, and entering and leaving the kernel.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/order.h"

#define CALLS_MAX  10000
#define NO_SUCH	   10000 /* the number of no system call */
#define SMALL	   100
#define PAGE	   4096
#define LARGE	   65536
#define SLEEP_NS   1000000
#define WARM_CALLS 20

static int zero, null, ends[2], sockets[2];
static char buffer[LARGE];
static void *mapped;
static int opened;

static long call_none(void)
{
	return syscall(NO_SUCH);
}

static long call_getppid(void)
{
	return syscall(SYS_getppid);
}

static long call_read(void)
{
	return syscall(SYS_read, zero, buffer, 1);
}

static long call_pread(void)
{
	return syscall(SYS_pread64, zero, buffer, PAGE, 0L);
}

static long call_preadv(void)
{
	struct iovec part = { buffer, LARGE };

	return syscall(SYS_preadv, zero, &part, 1, 0L, 0L);
}

static long call_write(void)
{
	return syscall(SYS_write, null, buffer, 1);
}

static long call_openat(void)
{
	opened = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
	return opened;
}

static long call_close(void)
{
	return syscall(SYS_close, opened);
}

static long call_statx(void)
{
	return syscall(SYS_statx, AT_FDCWD, "/dev/null", 0, 0, buffer);
}

static long call_writev(void)
{
	struct iovec part = { buffer, SMALL };

	return syscall(SYS_writev, ends[1], &part, 1);
}

static long call_readv(void)
{
	struct iovec part = { buffer, SMALL };

	return syscall(SYS_readv, ends[0], &part, 1);
}

static long call_mmap(void)
{
	mapped = (void *)syscall(SYS_mmap, NULL, LARGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0L);
	return mapped == MAP_FAILED ? -1 : 0;
}

static long call_munmap(void)
{
	return syscall(SYS_munmap, mapped, LARGE);
}

static long call_sendto(void)
{
	return syscall(SYS_sendto, sockets[0], buffer, 1, 0, NULL, 0);
}

static long call_recvfrom(void)
{
	return syscall(SYS_recvfrom, sockets[0], buffer, 1, 0, NULL, NULL);
}

static long call_nanosleep(void)
{
	const struct timespec time = { .tv_nsec = SLEEP_NS };

	return syscall(SYS_nanosleep, &time, NULL);
}

/* Some depend on each other: they are called in turn. */
static const struct kind {
	const char *names[2];
	long (*calls[2])(void);
} kinds[] = {
	{ { "no such" }, { call_none } }, /* first */
	{ { "getppid" }, { call_getppid } },
	{ { "read" }, { call_read } },
	{ { "pread64" }, { call_pread } },
	{ { "preadv" }, { call_preadv } },
	{ { "write" }, { call_write } },
	{ { "statx" }, { call_statx } },
	{ { "openat", "close" }, { call_openat, call_close } },
	{ { "writev", "readv" }, { call_writev, call_readv } },
	{ { "mmap", "munmap" }, { call_mmap, call_munmap } },
	{ { "sendto", "recvfrom" }, { call_sendto, call_recvfrom } },
	{ { "nanosleep" }, { call_nanosleep } },
};

static int by_size(const void *a, const void *b)
{
	return order_falling(*(const uint64_t *)b, *(const uint64_t *)a);
}

/* Returns false if a call failed that must succeed. */
static bool measure(long (*call)(void), uint64_t *ret_ns)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	long result = call();

	*ret_ns = clock_ns(CLOCK_MONOTONIC) - begin;
	return result >= 0 || call == call_none;
}

static bool measure_kind(const struct kind *kind, size_t n, uint64_t ret_medians[2])
{
	static uint64_t took[2][CALLS_MAX + WARM_CALLS];
	size_t n_calls = kind->calls[1] ? 2 : 1;

	for (size_t i = 0; i < n + WARM_CALLS; i++)
		for (size_t k = 0; k < n_calls; k++)
			if (!measure(kind->calls[k], &took[k][i]))
				return false;
	for (size_t k = 0; k < n_calls; k++) {
		qsort(took[k] + WARM_CALLS, n, sizeof(took[k][0]), by_size);
		ret_medians[k] = took[k][WARM_CALLS + n / 2];
	}
	return true;
}

/* Sends back what it receives, when nothing else can run: the sender waits by then. */
static pid_t start_echo(void)
{
	const struct sched_param param = { 0 };
	char c;
	struct iovec part = { &c, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	pid_t pid = fork();

	if (pid)
		return pid;
	close(sockets[0]);
	if (sched_setscheduler(0, SCHED_IDLE, &param) < 0)
		_exit(1);
	/* Different from the system calls that are measured. */
	while (recvmsg(sockets[1], &message, 0) == 1)
		if (sendmsg(sockets[1], &message, 0) != 1)
			break;
	_exit(0);
}

int main(int argc, char **argv)
{
	size_t n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t medians[2], bare = 0;
	pid_t echo;

	if (!n || n > CALLS_MAX) {
		fprintf(stderr, "usage: syscall-times N\n");
		return 2;
	}
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (zero < 0 || null < 0 || pipe2(ends, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0 || (echo = start_echo()) < 0)
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!measure_kind(&kinds[i], n, medians))
			return 1;
		bare = bare ?: medians[0];
		for (size_t k = 0; k < 2 && kinds[i].calls[k]; k++)
			printf("%s %" PRId64 "\n", kinds[i].names[k], (int64_t)(medians[k] - bare));
	}
	close(sockets[0]);
	close(sockets[1]);
	return waitpid(echo, NULL, 0) == echo ? 0 : 1;
}
