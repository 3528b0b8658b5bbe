/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user-graph FILE: writes a file and brings it to its device, some functions deep; recurses, leaves two
 * functions by longjmp(), and forks a child that calls one more. Prints how often each function
 * is called, all processes together.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECES	 3
#define DEPTH	 5
#define NOINLINE static __attribute__((noinline, used))

static jmp_buf back;

NOINLINE int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n <= 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

NOINLINE int save(const char *path)
{
	static char bytes[4096];
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	int r = fd < 0 ? -1 : 0;

	memset(bytes, 'x', sizeof(bytes));
	for (int i = 0; i < PIECES && r == 0; i++)
		r = write_all(fd, bytes, sizeof(bytes));
	if (r == 0)
		r = fsync(fd);
	if (fd >= 0)
		close(fd);
	return r;
}

NOINLINE int sum_to(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n <= 1 ? n : n + sum_to(n - 1);
}

NOINLINE void jump_away(int n)
{
	__asm__ volatile("" : "+r"(n));
	if (n)
		longjmp(back, n);
}

NOINLINE int jump_from(int n)
{
	jump_away(n);
	return n + 1;
}

NOINLINE int in_child(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

NOINLINE int start_child(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(in_child(0));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

int main(int argc, char **argv)
{
	if (argc != 2 || save(argv[1]) < 0)
		return 1;
	if (sum_to(DEPTH) != DEPTH * (DEPTH + 1) / 2)
		return 1;
	if (setjmp(back) == 0)
		jump_from(1);
	if (start_child() != 0)
		return 1;
	printf("main 1\nsave 1\nwrite_all %d\nsum_to %d\njump_from 1\njump_away 1\n"
	       "start_child 1\nin_child 1\n",
	       PIECES, DEPTH);
	return 0;
}
