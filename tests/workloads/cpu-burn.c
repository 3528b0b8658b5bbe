/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu-burn MS: takes MS milliseconds of CPU time in a function three functions deep, then as much in
 * the kernel, by reading zeros. Prints the functions that most samples of each half must show, and how
 * many milliseconds of CPU time it took.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUND 100000

static volatile uint64_t sum;
static char zeros[1 << 20];

static uint64_t used_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

__attribute__((noinline)) static void burn_leaf(void)
{
	/* A leaf function gets a frame only if it asks for it. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
	for (uint64_t i = 0; i < ROUND; i++)
		sum += i * i;
}

__attribute__((noinline)) static void burn_middle(uint64_t until)
{
	while (used_ms() < until)
		burn_leaf();
}

__attribute__((noinline)) static void read_zeros(uint64_t until, int fd)
{
	while (used_ms() < until)
		if (read(fd, zeros, sizeof(zeros)) < 0)
			return;
}

int main(int argc, char **argv)
{
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 500, first, second;
	int fd = open("/dev/zero", O_RDONLY);

	if (fd < 0)
		return 1;
	first = used_ms();
	burn_middle(first + ms);
	second = used_ms();
	read_zeros(second + ms, fd);
	printf("burn_middle;burn_leaf vfs_read %d %d\n", (int)(second - first),
	       (int)(used_ms() - second));
	close(fd);
	return 0;
}
