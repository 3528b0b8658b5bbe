// SPDX-License-Identifier: GPL-2.0-or-later
/* A task waits for one that waits for another; each knows how long it delayed the first. */
#include "truth.h"

static void say_kept(pid_t task, pid_t by, const char *how, uint64_t ns)
{
	truth("{\"fact\": \"kept\", \"pid\": %d, \"by\": %d, \"how\": \"%s\", \"ns\": %llu}", task,
	      by, how, (unsigned long long)ns);
}

static void pass_on(int fd)
{
	if (write(fd, "x", 1) != 1)
		_exit(2);
}

static void await(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		_exit(2);
}

/* The first waits for the second, which works after the third has slept. */
static int pipes(void)
{
	pid_t first = getpid(), second, third;
	int to_first[2], to_second[2];

	if (pipe(to_first) < 0 || pipe(to_second) < 0)
		return 2;
	second = fork();
	if (!second) {
		uint64_t before;

		prctl(PR_SET_NAME, "second");
		await(to_second[0]);
		before = cpu_time();
		busy(150);
		say_kept(first, getpid(), "task", cpu_time() - before);
		pass_on(to_first[1]);
		_exit(0);
	}
	third = fork();
	if (!third) {
		prctl(PR_SET_NAME, "third");
		say_kept(first, getpid(), "timer", nap(200));
		pass_on(to_second[1]);
		_exit(0);
	}
	prctl(PR_SET_NAME, "first");
	await(to_first[0]);
	while (wait(NULL) > 0)
		;
	return 0;
}

static atomic_int words[2];

static void futex_wait(int n)
{
	while (!words[n])
		syscall(SYS_futex, &words[n], 0 /* FUTEX_WAIT */, 0, NULL, NULL, 0);
}

static void futex_wake(int n)
{
	words[n] = 1;
	syscall(SYS_futex, &words[n], 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
}

static pid_t chain_of;

static void *worker(void *data)
{
	uint64_t before;

	prctl(PR_SET_NAME, "worker");
	futex_wait(0);
	before = cpu_time();
	busy(150);
	say_kept(chain_of, gettid(), "task", cpu_time() - before);
	futex_wake(1);
	return data;
}

static void *sleeper(void *data)
{
	prctl(PR_SET_NAME, "sleeper");
	say_kept(chain_of, gettid(), "timer", nap(200));
	futex_wake(0);
	return data;
}

/* Likewise with threads. */
static int locks(void)
{
	pthread_t a, b;

	chain_of = getpid();
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, sleeper, NULL);
	futex_wait(1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	return IS("pipes") ? pipes() : IS("futexes") ? locks() : no_workload(argv);
}
