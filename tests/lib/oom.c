/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failing allocations. Two ways: oom_check() around one operation, and a whole test
 * program under `torture`. That one gives two pipes in FATHOM_FAIL_ALLOC: the program
 * reads numbers N from the first, and for each does its tests in a child process, in which the
 * N-th allocation fails (none with 0); how the child ended goes into the second. So
 * the cost of starting a program is paid once. The number of allocations that were made
 * is written to the file named by FATHOM_FAIL_COUNT.
 */
#include "test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* An ordinary run takes milliseconds. */
#define SECONDS_PER_RUN 60

static unsigned long own_seen, fail_at;
static unsigned long *seen = &own_seen;

/* In a build without LeakSanitizer there is no such function. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static bool fault(void)
{
	return ++*seen == fail_at;
}

bool test_lacks(const char *condition, const char *file, int line)
{
	if (!mem_fault) {
		print_error("set-up failed: %s\n", condition);
		_fail(file, line);
	}
	return false;
}

void oom_check(int (*op)(void *arg), void *arg)
{
	int r;

	/* Under torture each allocation fails in its turn anyway. */
	if (mem_fault) {
		op(arg);
		return;
	}
	mem_fault = fault;
	for (unsigned long n = 1;; n++) {
		*seen = 0;
		fail_at = n;
		r = op(arg);
		if (*seen < n)
			break;
		if (r != -ENOMEM) {
			mem_fault = NULL;
			fail_msg("allocation %lu failed, the operation returned %d", n, r);
		}
	}
	mem_fault = NULL;
	if (r < 0)
		fail_msg("the operation failed with enough memory: %d", r);
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		fail_msg("memory was forgotten after a failed allocation");
}

void oom_check_shared(int (*op)(void *arg), void *arg)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(seen != MAP_FAILED);
	*seen = own_seen;
	oom_check(op, arg);
	own_seen = *seen;
	munmap(seen, sizeof(*seen));
	seen = &own_seen;
}

static void write_count(void)
{
	const char *path = getenv("FATHOM_FAIL_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f) {
		fprintf(f, "%lu\n", *seen);
		fclose(f);
	}
}

/* Returns in child processes only, and never without a number to read. */
static void serve(int in, int out)
{
	while (read(in, &fail_at, sizeof(fail_at)) == sizeof(fail_at)) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			close(in);
			close(out);
			alarm(SECONDS_PER_RUN);
			return;
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid ||
		    write(out, &status, sizeof(status)) != sizeof(status))
			_exit(98);
	}
	_exit(0);
}

__attribute__((constructor)) static void arm(void)
{
	const char *pipes = getenv("FATHOM_FAIL_ALLOC");
	int in, out;

	if (!pipes || sscanf(pipes, "%d,%d", &in, &out) != 2)
		return;
	serve(in, out);
	mem_fault = fault;
	atexit(write_count);
}
