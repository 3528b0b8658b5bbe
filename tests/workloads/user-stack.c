/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user-stack: calls getppid() 20 times, three functions deep, and prints the functions of the user stack,
 * innermost first. Waits for a line on stdin first, and for a second one before it exits, so that its
 * memory map can be read.
 *
 * user-stack now: does not wait, and exits at once.
 * user-stack jit: the same, with the innermost function generated at run time and named in /tmp/perf-PID.map.
 * user-stack time: the same, but reads a clock for which the vDSO calls the kernel.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TIMES 20

/* Without the C library's wrapper, which has no frame pointer. */
static inline long ask(void)
{
	long result;

#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_getppid) : "rcx", "r11", "memory");
#else
	result = syscall(SYS_getppid);
#endif
	return result;
}

static long (*jit_leaf)(void); /* NULL: none */
static int wants_time;

__attribute__((noinline)) static long stack_leaf(int n)
{
	struct timespec t;

	/* A leaf function gets a frame only if it asks for it. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
	if (wants_time)
		return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) + 1;
	return jit_leaf ? jit_leaf() + 1 : ask() + n;
}

__attribute__((noinline)) static long stack_middle(int n)
{
	return stack_leaf(n) * 2 + 1;
}

__attribute__((noinline)) static long stack_outer(int n)
{
	return stack_middle(n) * 3 + 1;
}

/* A function with a frame that makes the system call; returns 0 on unsupported architectures. */
static int make_jit(void)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, SYS_getppid, 0,
					      0,    0,	  0x0f, 0x05, 0x5d, 0xc3 };
	char path[64], line[128];
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd, n;

	if (memory == MAP_FAILED)
		return 0;
	memcpy(memory, code, sizeof(code));
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) < 0)
		return 0;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	n = snprintf(line, sizeof(line), "%lx %zx made_leaf\n", (unsigned long)memory,
		     sizeof(code));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line, (size_t)n) != n)
		return 0;
	close(fd);
	jit_leaf = (long (*)(void))memory;
	return 1;
#else
	return 0;
#endif
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char line[16];
	long sum = 0;

	if (strcmp(how, "jit") == 0 && !make_jit())
		return 1;
	wants_time = strcmp(how, "time") == 0;
	if (!*how && !fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < TIMES; i++)
		sum += stack_outer(i);
	printf("%d %sstack_leaf stack_middle stack_outer main\n", sum ? TIMES : 0,
	       jit_leaf ? "made_leaf " : "");
	fflush(stdout);
	return *how || fgets(line, sizeof(line), stdin) ? 0 : 1;
}
