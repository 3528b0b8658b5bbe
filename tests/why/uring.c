/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uring WHAT [PATH]: io_uring requests that fail, for the commands of tests/why. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
static struct io_uring_params params;
static char *sq, *cq;
static struct io_uring_sqe *sqes;
static int ring;
static void setup(unsigned flags)
{
	params.flags = flags;
	ring = (int)syscall(SYS_io_uring_setup, 8, &params);
	if (ring < 0)
		exit(9);
	sq = mmap(NULL, params.sq_off.array + 32, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		  IORING_OFF_SQ_RING);
	cq = mmap(NULL, params.cq_off.cqes + 16 * sizeof(struct io_uring_cqe),
		  PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	sqes = mmap(NULL, 8 * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		    IORING_OFF_SQES);
}
static void add(unsigned char op, int fd, const void *addr, unsigned len, unsigned long off)
{
	unsigned *tail = (unsigned *)(sq + params.sq_off.tail), at = *tail & 7;
	sqes[at] = (struct io_uring_sqe){ .opcode = op,
					  .fd = fd,
					  .addr = (unsigned long)addr,
					  .len = len,
					  .off = off,
					  .user_data = *tail + 0x100 };
	((unsigned *)(sq + params.sq_off.array))[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}
/* Nothing listens there. */
static void add_connect(void)
{
	static struct sockaddr_in to = { .sin_family = AF_INET };

	to.sin_port = htons(1);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	add(IORING_OP_CONNECT, socket(AF_INET, SOCK_STREAM, 0), &to, 0, sizeof(to));
}

/* The result of the last of @n requests. */
static int wait_for(unsigned n)
{
	unsigned flags = IORING_ENTER_GETEVENTS |
			 (params.flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0);
	unsigned *head = (unsigned *)(cq + params.cq_off.head),
		 *tail = (unsigned *)(cq + params.cq_off.tail), last = 0;
	int result = 0;
	if (syscall(SYS_io_uring_enter, ring, n, n, flags, NULL, 0) < 0)
		exit(8);
	while (*head != __atomic_load_n(tail, __ATOMIC_ACQUIRE)) {
		struct io_uring_cqe *cqe =
			(void *)(cq + params.cq_off.cqes + (*head & 15) * sizeof(*cqe));
		if (cqe->user_data >= last) {
			last = cqe->user_data;
			result = cqe->res;
		}
		++*head;
	}
	return result;
}
static int fails(const char *what, int result)
{
	if (result >= 0)
		return 0;
	fprintf(stderr, "%s: %s\n", what, strerror(-result));
	return 3;
}
int main(int argc, char **argv)
{
	const char *path = argc > 2 ? argv[2] : NULL;
	char buf[8];
	setup(*argv[1] == 'p' ? IORING_SETUP_SQPOLL : 0);
	switch (*argv[1]) {
	case 'p': /* polled */
	case 'o': /* open */
		add(IORING_OP_NOP, -1, NULL, 0, 0);
		add(IORING_OP_OPENAT, AT_FDCWD, path, 0, 0);
		return fails(path, wait_for(2));
	case 's': /* silent */
		add_connect();
		return wait_for(1) < 0 ? 3 : 0;
	case 'l': /* linked: the second one is cancelled */
		add_connect();
		sqes[0].flags = IOSQE_IO_LINK;
		add(IORING_OP_NOP, -1, NULL, 0, 0);
		return wait_for(2) < 0 ? 3 : 0;
	case 'r': /* read */
		add(IORING_OP_READ, 99, buf, sizeof(buf), 0);
		return fails("cannot read", wait_for(1));
	case 'c': /* connect */
		add_connect();
		return fails("cannot connect", wait_for(1));
	case 'h': /* handled */
		add_connect();
		wait_for(1);
		add(IORING_OP_NOP, -1, NULL, 0, 0);
		return fails("nop", wait_for(1));
	case 'm': /* another failure matters: mkdir */
		add_connect();
		wait_for(1);
		return fails("cannot make a directory", mkdir("full", 0700) < 0 ? -errno : 0);
	}
	return 7;
}
