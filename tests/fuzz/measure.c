/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wraps a libFuzzer target (with the linker's --wrap) and measures the CPU time of each input,
 * which does not depend on the load of the machine. libFuzzer's own statistics have a resolution of
 * a second.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t slowest_ns = -1;

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void print_slowest(void)
{
	fprintf(stderr, "stat::slowest_input_ms: %lld\n",
		(long long)(slowest_ns + 999999) / 1000000);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t before, took;
	int r;

	if (slowest_ns < 0 && atexit(print_slowest))
		abort();
	before = cpu_ns();
	r = __real_LLVMFuzzerTestOneInput(data, size);
	took = cpu_ns() - before;
	if (took > slowest_ns)
		slowest_ns = took;
	return r;
}
