/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort-burn MS [deep|jit]: takes MS milliseconds of CPU time in a function that the C library's
 * qsort() calls. Built without frame pointers, so the callers can only be found with unwind tables.
 * With "deep", a hundred kilobytes of stack are in between; with "jit", code that belongs to no
 * file. Prints the functions of the program, outermost first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define ROUND 100000
#define DEEP  100000

static volatile uint64_t sum;
static uint64_t until;

static uint64_t used_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

__attribute__((noinline)) static void sort_leaf(void)
{
	for (uint64_t i = 0; i < ROUND; i++)
		sum += i * i;
	/* Not the last action of the function: otherwise it would be a tail call. */
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static int sort_compare(const void *a, const void *b)
{
	if (used_ms() < until)
		sort_leaf();
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void sort_numbers(void)
{
	int numbers[64];

	while (used_ms() < until) {
		for (int i = 0; i < 64; i++)
			numbers[i] = i * 37 % 64;
		qsort(numbers, 64, sizeof(numbers[0]), sort_compare);
	}
	__asm__ volatile("" : : "r"(numbers) : "memory");
}

__attribute__((noinline)) static void sort_deep(void)
{
	char room[DEEP];

	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	sort_numbers();
	__asm__ volatile("" : : "r"(room) : "memory");
}

/* Calls a function in code that belongs to no file. */
__attribute__((noinline)) static int sort_made(void (*function)(void))
{
#if defined(__x86_64__)
	/* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
	static const uint8_t code[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };
#else
	static const uint8_t code[] = { 0 };
#endif
	void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (made == MAP_FAILED || sizeof(code) < 4)
		return 1;
	memcpy(made, code, sizeof(code));
	if (mprotect(made, 4096, PROT_READ | PROT_EXEC) < 0)
		return 1;
	((void (*)(void (*)(void)))(uintptr_t)made)(function);
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";

	until = used_ms() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 500);
	if (strcmp(how, "deep") == 0)
		sort_deep();
	else if (strcmp(how, "jit") == 0 && sort_made(sort_numbers))
		return 1;
	else
		sort_numbers();
	puts("main sort_numbers sort_compare sort_leaf");
	return 0;
}
