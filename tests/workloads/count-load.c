/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count-load THREADS KEYS ROUNDS SLEEPS: system calls whose sums are known. Each thread makes
 * pread64() calls at the offsets 0 to KEYS - 1 in a row, ROUNDS times; the one at offset K reads
 * K % 64 bytes. Then it sleeps SLEEPS times for 2 ms. All threads start at the same time, so that
 * they compete for the same keys.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long keys, rounds, sleeps;
static int zeros;
static pthread_barrier_t together;

static void *load(void *arg)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	char bytes[64];

	pthread_barrier_wait(&together);
	for (long round = 0; round < rounds; round++)
		for (long key = 0; key < keys; key++)
			if (pread(zeros, bytes, (size_t)(key % 64), key) != key % 64)
				exit(1);
	for (long i = 0; i < sleeps; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	long n;

	if (argc != 5)
		return 2;
	n = atol(argv[1]);
	keys = atol(argv[2]);
	rounds = atol(argv[3]);
	sleeps = atol(argv[4]);
	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zeros < 0 || n < 1 || n > 64 || pthread_barrier_init(&together, NULL, (unsigned)n))
		return 1;
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, load, NULL))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
