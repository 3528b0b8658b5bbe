/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For programs that know what a trace of them must contain.
 *
 * Each fact is a line of JSON: {"fact": "calls", "name": "getppid", "count": 1000}. The facts that
 * the runner can check are listed in tests/truth/README.md.
 *
 * Facts go to the file named by the variable TRUTH, which the runner made large enough. It is
 * mapped when the program starts (one call each of openat, mmap and close), so stating a fact later
 * makes no system call. Children inherit the mapping. Without the variable, facts go to stderr at
 * the end.
 */
#ifndef FATHOM_TESTS_TRUTH_H
#define FATHOM_TESTS_TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRUTH_SIZE 65536 /* of the file, whose first bytes are the length of its contents */

struct truth_page {
	_Atomic uint32_t len;
	char text[TRUTH_SIZE - sizeof(uint32_t)];
};

static struct truth_page *truth_page;

static void truth_show(void)
{
	fwrite(truth_page->text, 1, truth_page->len, stderr);
}

__attribute__((format(printf, 1, 2))) static inline void truth(const char *format, ...)
{
	char line[512];
	va_list ap;
	int len;
	uint32_t place;

	va_start(ap, format);
	len = vsnprintf(line, sizeof(line) - 1, format, ap);
	va_end(ap);
	line[len++] = '\n';
	place = atomic_fetch_add(&truth_page->len, (uint32_t)len);
	memcpy(truth_page->text + place, line, (size_t)len);
}

__attribute__((constructor)) static void truth_open(void)
{
	const char *path = getenv("TRUTH");
	int fd = path ? open(path, O_RDWR) : -1;

	truth_page = mmap(NULL, TRUTH_SIZE, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_POPULATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	if (truth_page == MAP_FAILED) {
		perror("TRUTH");
		exit(2);
	}
	if (fd >= 0)
		close(fd);
	else
		atexit(truth_show);
	truth("{\"fact\": \"root\", \"pid\": %d}", getpid());
}

/* With the vDSO: not a system call. */
static inline uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* The CPU time of the thread, by a system call. */
static inline uint64_t cpu_time(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* How long the thread has waited for a CPU, as accounted by the kernel; makes system calls. */
static inline uint64_t cpu_delay(void)
{
	int fd = open("/proc/thread-self/schedstat", O_RDONLY);
	unsigned long long ran, waited;
	char text[128] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 ||
	    sscanf(text, "%llu %llu", &ran, &waited) != 2) {
		perror("schedstat");
		exit(2);
	}
	close(fd);
	return waited;
}

/* A call of clock_nanosleep(). Returns its duration. */
static inline uint64_t nap(unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };
	uint64_t start = now();

	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
	return now() - start;
}

/* In user mode, without a system call. */
static inline uint64_t busy(unsigned ms)
{
	uint64_t start = now(), end = start + ms * UINT64_C(1000000);

	while (now() < end)
		for (volatile int i = 0; i < 1000; i++)
			;
	return now() - start;
}

static inline void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0) {
		perror("sched_setaffinity");
		exit(2);
	}
}

/* Returns which of a program's workloads is selected. */
static inline const char *workload(int argc, char **argv)
{
	return argc > 1 ? argv[1] : "";
}

#define IS(name) (strcmp(workload(argc, argv), name) == 0)

static inline int no_workload(char **argv)
{
	fprintf(stderr, "%s: no such workload\n", argv[0]);
	return 2;
}

#endif
