// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a known number of system calls that no other program makes, from a known thread.
 *
 * usage: syscall-burst [COUNT]
 *
 * The call is getsid(2) with an argument that counts up from 1000000, which is not a valid PID,
 * so each call returns -ESRCH. What the trace must contain is printed one event per line, numbers in
 * hexadecimal without 0x (kernels differ in whether they print it):
 *     <tid> sys_enter_getsid pid: f4240
 *     <tid> sys_exit_getsid fffffffffffffffd
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_ARGUMENT 1000000L

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	long tid = syscall(SYS_gettid);

	if (count < 1) {
		fprintf(stderr, "usage: syscall-burst [COUNT]\n");
		return 2;
	}
	for (long i = 0; i < count; i++) {
		if (syscall(SYS_getsid, FIRST_ARGUMENT + i) != -1 || errno != ESRCH) {
			fprintf(stderr, "syscall-burst: getsid of no process did not fail\n");
			return 1;
		}
	}
	for (long i = 0; i < count; i++) {
		printf("%ld sys_enter_getsid pid: %lx\n", tid, FIRST_ARGUMENT + i);
		printf("%ld sys_exit_getsid %lx\n", tid, (unsigned long)-ESRCH);
	}
	return 0;
}
