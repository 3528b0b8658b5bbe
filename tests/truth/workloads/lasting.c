// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For recordings that begin in the middle: writes "ready" to stdout, then does something until the
 * runner ends it, by a byte in the page of facts and two on stdin, half a second apart.
 */
#include "truth.h"

static void ready(void)
{
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		exit(2);
}

static bool is_to_end(void)
{
	return *(volatile char *)&truth_page->text[sizeof(truth_page->text) - 1];
}

/* Long system calls that work all the time. */
static int reads(void)
{
	size_t size = (size_t)1 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int fd = open("/dev/urandom", O_RDONLY);

	truth("{\"fact\": \"inside\", \"pid\": %d, \"name\": \"read\"}", getpid());
	ready();
	while (!is_to_end())
		if (read(fd, memory, size) <= 0)
			return 2;
	return 0;
}

/* One that sleeps all the time, then another: the second one is recorded completely. */
static int sleeps(void)
{
	char bytes[2];

	truth("{\"fact\": \"inside\", \"pid\": %d, \"name\": \"read\"}", getpid());
	ready();
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (read(STDIN_FILENO, &bytes[i], 1) != 1)
			return 2;
	return 0;
}

/* None at all: it runs in user mode. */
static int works(void)
{
	truth("{\"fact\": \"working\", \"pid\": %d}", getpid());
	ready();
	while (!is_to_end())
		;
	syscall(SYS_getppid);
	return 0;
}

int main(int argc, char **argv)
{
	return IS("reads")  ? reads() :
	       IS("sleeps") ? sleeps() :
	       IS("works")  ? works() :
			      no_workload(argv);
}
