// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls functions, writes a variable and works a known number of times: for probes, watchpoints and
 * samples.
 */
#include "truth.h"

#define CALLS  1000
#define WRITES 500

static __attribute__((noinline)) long touching_add(int a, long b)
{
	__asm__ volatile("" : "+r"(a), "+r"(b));
	return a + b;
}

volatile int touching_word;

static void say_probe(const char *event, const char *field, unsigned count, long sum)
{
	truth("{\"fact\": \"probe\", \"event\": \"%s\", \"field\": \"%s\", \"count\": %u, \"sum\": %ld}",
	      event, field, count, sum);
}

/* A user function, with arguments and results of both signs. */
static int functions(void)
{
	long a = 0, b = 0, results = 0;

	for (int i = 0; i < CALLS; i++) {
		a += i - 600;
		b += i * 1000000007L;
		results += touching_add(i - 600, i * 1000000007L);
	}
	say_probe("touching_add", "a", CALLS, a);
	say_probe("touching_add", "b", CALLS, b);
	say_probe("touching_add_ret", "ret", CALLS, results);
	truth("{\"fact\": \"user_calls\", \"function\": \"touching_add\", \"count\": %d}", CALLS);
	return 0;
}

/* A kernel function, with its arguments and results; the last call fails. */
static int seeks(void)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	long offsets = 0, results = 0;

	if (fd < 0)
		return 2;
	for (int i = 0; i < CALLS; i++) {
		offsets += i * 4096L;
		results += lseek(fd, i * 4096L, SEEK_SET);
	}
	if (lseek(fd, 0, SEEK_END) >= 0)
		return 2;
	results -= errno;
	say_probe("mem_lseek", "offset", CALLS + 1, offsets);
	say_probe("mem_lseek", "orig", CALLS + 1, SEEK_END);
	say_probe("mem_lseek_ret", "ret", CALLS + 1, results);
	return 0;
}

/* All writes to the variable, by the process and a child, have different values. */
static int writes(void)
{
	long sum = 0;
	pid_t child;

	for (int i = 1; i <= WRITES; i++)
		sum += touching_word = i;
	child = fork();
	if (!child) {
		for (int i = 1; i <= WRITES; i++)
			touching_word = WRITES + i;
		_exit(0);
	}
	for (int i = 1; i <= WRITES; i++)
		sum += WRITES + i;
	waitpid(child, NULL, 0);
	truth("{\"fact\": \"hits\", \"variable\": \"touching_word\", \"count\": %d, \"sum\": %ld, "
	      "\"processes\": 2}",
	      2 * WRITES, sum);
	return 0;
}

static inline __attribute__((always_inline)) void work_until(uint64_t end)
{
	while (cpu_time() < end)
		for (volatile int i = 0; i < 100000; i++)
			;
}

static __attribute__((noinline)) void touching_thrice(uint64_t ns)
{
	work_until(cpu_time() + 3 * ns);
	__asm__ volatile("");
}

static __attribute__((noinline)) void touching_once(uint64_t ns)
{
	work_until(cpu_time() + ns);
	__asm__ volatile("");
}

/* Not constant for the compiler, which would create specialized functions with other names. */
static volatile uint64_t part_ns = 25000000;

/*
 * Three quarters of the time in one function and one quarter in the other, alternating; measured by
 * the CPU time of the task.
 */
static int shares(void)
{
	uint64_t thrice = 0, once = 0;

	for (int i = 0; i < 12; i++) {
		uint64_t start = cpu_time(), middle;

		touching_thrice(part_ns);
		middle = cpu_time();
		touching_once(part_ns);
		thrice += middle - start;
		once += cpu_time() - middle;
	}
	truth("{\"fact\": \"share\", \"function\": \"touching_thrice\", \"ns\": %llu, \"of_ns\": %llu}",
	      (unsigned long long)thrice, (unsigned long long)(thrice + once));
	truth("{\"fact\": \"share\", \"function\": \"touching_once\", \"ns\": %llu, \"of_ns\": %llu}",
	      (unsigned long long)once, (unsigned long long)(thrice + once));
	return 0;
}

int main(int argc, char **argv)
{
	return IS("functions") ? functions() :
	       IS("seeks")     ? seeks() :
	       IS("writes")    ? writes() :
	       IS("shares")    ? shares() :
				 no_workload(argv);
}
