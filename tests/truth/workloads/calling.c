// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes known numbers of system calls, which fail as stated, or read and write known amounts. */
#include "truth.h"

#include <sys/socket.h>
#include <sys/stat.h>

static void say_calls(const char *name, unsigned count)
{
	truth("{\"fact\": \"calls\", \"name\": \"%s\", \"count\": %u}", name, count);
}

static void say_errors(const char *name, const char *error, unsigned count)
{
	truth("{\"fact\": \"errors\", \"name\": \"%s\", \"error\": \"%s\", \"count\": %u}", name,
	      error, count);
}

static void say_file(const char *path, unsigned read, unsigned written)
{
	truth("{\"fact\": \"file\", \"path\": \"%s\", \"read\": %u, \"written\": %u}", path, read,
	      written);
}

static int cheap(void)
{
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	say_calls("getppid", 1000);
	say_errors("getppid", "", 0);
	return 0;
}

/* The recorder is stopped in the meantime, so that its ring buffer of a few kB overflows. */
static int stalled(void)
{
	pid_t recorder = getppid();

	kill(recorder, SIGSTOP);
	for (int i = 0; i < 3000; i++)
		syscall(SYS_getpgrp);
	kill(recorder, SIGCONT);
	say_calls("getpgrp", 3000);
	truth("{\"fact\": \"lost\", \"at_least\": 1}");
	return 0;
}

static int writes(void)
{
	int fd = open("/dev/null", O_WRONLY);
	char byte = 'x';
	unsigned written = 0;

	for (int i = 0; i < 1000; i++)
		written += write(fd, &byte, 1) == 1;
	say_calls("write", written);
	truth("{\"fact\": \"asleep\", \"name\": \"write\", \"ns\": 0}");
	say_file("/dev/null", 0, written);
	return written == 1000 ? 0 : 1;
}

static int errors(void)
{
	int fds[2], secret = open("secret", O_CREAT | O_WRONLY, 0600);
	unsigned n[4] = { 0 };
	char text[64];

	if (pipe2(fds, O_NONBLOCK) < 0 || secret < 0 || setresuid(65534, 65534, 65534) < 0)
		return 2;
	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "/nosuch/file%d", i);
		n[0] += open(text, O_RDONLY) < 0 && errno == ENOENT;
	}
	for (int i = 0; i < 3; i++)
		n[1] += open("secret", O_RDONLY) < 0 && errno == EACCES;
	for (int i = 0; i < 2; i++)
		n[2] += read(fds[0], text, 1) < 0 && errno == EAGAIN;
	for (int i = 0; i < 4; i++)
		n[3] += close(999) < 0 && errno == EBADF;
	say_errors("openat", "ENOENT", n[0]);
	say_errors("openat", "EACCES", n[1]);
	say_errors("read", "EAGAIN", n[2]);
	say_errors("close", "EBADF", n[3]);
	return 0;
}

/* Files of known sizes: one is written and read back, one is only written and synced. */
static int files(void)
{
	char block[4096];
	unsigned read_bytes = 0, written = 0;
	int a = open("truth-a", O_CREAT | O_RDWR | O_TRUNC, 0600);
	int b = open("truth-b", O_CREAT | O_WRONLY | O_TRUNC, 0600);
	ssize_t n;

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 20; i++)
		written += (unsigned)write(a, block, sizeof(block));
	lseek(a, 0, SEEK_SET);
	while ((n = read(a, block, 1000)) > 0)
		read_bytes += (unsigned)n;
	say_file("truth-a", read_bytes, written);
	for (int i = 0; i < 5; i++)
		if (write(b, block, 100) != 100 || fsync(b) < 0)
			return 2;
	say_file("truth-b", 0, 500);
	say_calls("fsync", 5);
	say_calls("lseek", 1);
	return 0;
}

/* A duplicated descriptor refers to the same file. */
static int duplicates(void)
{
	int a = open("truth-a", O_CREAT | O_RDWR | O_TRUNC, 0600), b = dup(a), c = dup2(b, 100);

	if (c != 100 || write(a, "12345", 5) != 5 || write(b, "12345", 5) != 5)
		return 2;
	close(a);
	close(b);
	if (write(c, "12345", 5) != 5)
		return 2;
	say_file("truth-a", 0, 15);
	say_calls("dup", 1);
	say_calls("dup2", 1);
	return 0;
}

static int sockets(void)
{
	int fds[2];
	char text[64];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		return 2;
	for (int i = 0; i < 30; i++)
		if (send(fds[0], text, 64, 0) != 64 || recv(fds[1], text, 64, 0) != 64)
			return 2;
	say_calls("sendto", 30);
	say_calls("recvfrom", 30);
	say_calls("socketpair", 1);
	return 0;
}

static int maps(void)
{
	unsigned n = 0;

	for (int i = 0; i < 50; i++) {
		void *p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		n += p != MAP_FAILED && munmap(p, 8192) == 0;
	}
	/* The loader also maps and unmaps memory. */
	truth("{\"fact\": \"calls\", \"name\": \"munmap\", \"at_least\": %u, \"at_most\": %u}", n,
	      n + 2);
	truth("{\"fact\": \"calls\", \"name\": \"mmap\", \"at_least\": %u, \"at_most\": %u}", n,
	      n + 20);
	return 0;
}

/* Touches pages that did not exist. */
static int faults(void)
{
	struct rusage before, after;
	volatile char *p =
		mmap(NULL, 4096 * 1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)p, 4096 * 1000, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < 1000; i++)
		p[i * 4096] = 1;
	getrusage(RUSAGE_SELF, &after);
	truth("{\"fact\": \"faults\", \"at_least\": %ld, \"at_most\": %ld}",
	      after.ru_minflt - before.ru_minflt, after.ru_minflt + 100);
	return 0;
}

int main(int argc, char **argv)
{
	return IS("cheap")	? cheap() :
	       IS("stalled")	? stalled() :
	       IS("writes")	? writes() :
	       IS("errors")	? errors() :
	       IS("files")	? files() :
	       IS("duplicates") ? duplicates() :
	       IS("sockets")	? sockets() :
	       IS("maps")	? maps() :
	       IS("faults")	? faults() :
				  no_workload(argv);
}
