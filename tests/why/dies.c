/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dies KIND: is killed by a signal, for the reason that the letter KIND selects. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
/* getppid() is not allowed. */
static void refuse(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	syscall(SYS_getppid);
}
int main(int argc, char **argv)
{
	volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Faults that do not matter come before. */
	for (char *p = malloc(100000), *end = p + 100000; p < end; p += 4096)
		*p = 1;
	switch (*argv[1]) {
	case 'n':
		return *(volatile char *)0x10;
	case 'r':
		*page = 1;
		break;
	case 'u':
		munmap((void *)page, 4096);
		*page = 1;
		break;
	case 'c': /* no address has these bits */
		return *(volatile char *)0xdead000000000000;
	case 's':
		refuse();
		break;
	case 'm':
		for (;;)
			memset(malloc(1 << 20), 1, 1 << 20);
	}
	return 0;
}
