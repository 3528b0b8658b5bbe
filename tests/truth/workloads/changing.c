// SPDX-License-Identifier: GPL-2.0-or-later
/* Does one thing in the first run, and also another one in the second. */
#include "truth.h"

static void same(void)
{
	int fd = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 200; i++)
		if (write(fd, "x", 1) != 1)
			exit(2);
	for (int i = 0; i < 40; i++)
		syscall(SYS_getppid);
	close(fd);
}

static int before(void)
{
	same();
	for (int i = 0; i < 7; i++)
		syscall(SYS_getsid, 0);
	return 0;
}

/* The facts describe both runs. */
static int after(void)
{
	same();
	for (int i = 0; i < 20; i++)
		syscall(SYS_getpgid, 0);
	truth("{\"fact\": \"changed\", \"name\": \"getpgid\", \"before\": 0, \"after\": 20}");
	truth("{\"fact\": \"changed\", \"name\": \"getsid\", \"before\": 7, \"after\": 0}");
	truth("{\"fact\": \"unchanged\", \"name\": \"getppid\", \"count\": 40}");
	truth("{\"fact\": \"unchanged\", \"name\": \"write\", \"count\": 200}");
	return 0;
}

int main(int argc, char **argv)
{
	return IS("before") ? before() : IS("after") ? after() : no_workload(argv);
}
