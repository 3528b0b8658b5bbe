/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failing allocations. Two ways: oom_check() around one operation, and the
 * environment variable FATHOM_FAIL_ALLOC=N for a whole test program, which the
 * program `torture` uses. With N=0 nothing fails. In both cases the number of
 * allocations made is written to the file named by FATHOM_FAIL_COUNT at exit.
 */
#include "test.h"

#include "base/mem.h"

static unsigned long seen, fail_at;

/* In a build without LeakSanitizer there is no such function. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static bool fault(void)
{
	return ++seen == fail_at;
}

void oom_check(int (*op)(void *arg), void *arg)
{
	bool (*outer)(void) = mem_fault;
	unsigned long outer_seen = seen, outer_at = fail_at;
	int r;

	mem_fault = fault;
	for (unsigned long n = 1;; n++) {
		seen = 0;
		fail_at = n;
		r = op(arg);
		if (seen < n)
			break;
		if (r != -ENOMEM) {
			mem_fault = outer;
			fail_msg("allocation %lu failed, the operation returned %d", n, r);
		}
	}
	mem_fault = outer;
	seen = outer_seen;
	fail_at = outer_at;
	if (r < 0)
		fail_msg("the operation failed with enough memory: %d", r);
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		fail_msg("memory was forgotten after a failed allocation");
}

static void write_count(void)
{
	const char *path = getenv("FATHOM_FAIL_COUNT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f) {
		fprintf(f, "%lu\n", seen);
		fclose(f);
	}
}

__attribute__((constructor)) static void arm(void)
{
	const char *at = getenv("FATHOM_FAIL_ALLOC");

	if (!at)
		return;
	fail_at = strtoul(at, NULL, 10);
	mem_fault = fault;
	atexit(write_count);
}
