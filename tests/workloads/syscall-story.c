// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes system calls with known arguments and results, between getsid(1000001) and
 * getsid(1000002), and then prints them as 'fathom syscalls --list' should show them.
 *
 * usage: syscall-story DIRECTORY
 *
 * A line consists of the PID and three forms of a call, separated by tabs: with numbers only; with
 * the paths of files that were looked up; and with all texts.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FORMS	  3
#define LINES_MAX 64
#define LINE_SIZE 1024

/* Shared with the child, which stores nothing after its last call. */
static struct story {
	int n;
	int pid[LINES_MAX];
	char lines[LINES_MAX][FORMS][LINE_SIZE];
} * story;

static long last; /* result of the last call, negative for an error */

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	last = syscall(number, a, b, c, d, e, f);
	if (last == -1)
		last = -errno;
	return last;
}

#define CALL6(n, a, b, c, d, e, f, ...) \
	call(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define CALL(n, ...) CALL6(n, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

static void put_text(char *to, size_t size, const char *text)
{
	size_t at = 0;

	to[at++] = '"';
	for (; *text && at + 4 < size; text++) {
		if (*text == '\n') {
			to[at++] = '\\';
			to[at++] = 'n';
		} else {
			to[at++] = *text;
		}
	}
	to[at++] = '"';
	to[at] = '\0';
}

/*
 * Notes a call. In @format %P is a path that is looked up, %T any other text, %F the number of an
 * open file and its path (NULL: none), %d an int, %x an address, %s a literal string.
 */
static void tell(const char *format, ...)
{
	int line = story->n++;

	if (line >= LINES_MAX)
		abort();
	story->pid[line] = getpid();
	for (int form = 0; form < FORMS; form++) {
		char *to = story->lines[line][form];
		size_t at = 0;
		va_list ap;

		va_start(ap, format);
		for (const char *p = format; *p; p++) {
			char word[LINE_SIZE] = { *p };
			const char *text;
			int number;

			if (*p != '%') {
				snprintf(to + at, LINE_SIZE - at, "%s", word);
				at += strlen(word);
				continue;
			}
			switch (*++p) {
			case 'P':
			case 'T':
				text = va_arg(ap, const char *);
				if (form == 2 || (form == 1 && *p == 'P'))
					put_text(word, sizeof(word), text);
				else
					snprintf(word, sizeof(word), "%p", (const void *)text);
				break;
			case 'F':
				number = va_arg(ap, int);
				text = va_arg(ap, const char *);
				/* Calls without a path are known by their arguments alone. */
				if (text && (form || *text != '/'))
					snprintf(word, sizeof(word), "%d<%s>", number, text);
				else
					snprintf(word, sizeof(word), "%d", number);
				break;
			case 'd':
				snprintf(word, sizeof(word), "%d", va_arg(ap, int));
				break;
			case 'x':
				snprintf(word, sizeof(word), "%p", va_arg(ap, void *));
				break;
			default:
				snprintf(word, sizeof(word), "%s", va_arg(ap, const char *));
				break;
			}
			snprintf(to + at, LINE_SIZE - at, "%s", word);
			at += strlen(word);
		}
		va_end(ap);
	}
}

static void use_files(const char *path, const char *dir, const char *other)
{
	static const char text[] = "hello\n", missing[] = "/nonexistent/file";
	static char buf[100], longer[200];
	struct stat st;
	int fd, copy;

	fd = (int)CALL(openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	tell("openat(AT_FDCWD, %P, O_RDWR|O_CREAT|O_TRUNC|O_CLOEXEC, 0640) = %F", path, fd, path);
	CALL(write, fd, text, 6);
	tell("write(%F, %T, 6) = 6", fd, path, text);
	CALL(lseek, fd, -2, SEEK_END);
	tell("lseek(%F, -2, SEEK_END) = 4", fd, path);
	CALL(read, fd, buf, sizeof(buf));
	tell("read(%F, %x, 100) = 2", fd, path, buf);
	copy = (int)CALL(fcntl, fd, F_DUPFD_CLOEXEC, 100);
	tell("fcntl(%F, F_DUPFD_CLOEXEC, 100) = %d", fd, path, copy);
	CALL(fcntl, copy, F_GETFD, 0);
	tell("fcntl(%F, F_GETFD) = 1", copy, path);
	CALL(dup2, fd, 50);
	tell("dup2(%F, 50) = %F", fd, path, 50, path);
	CALL(dup3, fd, 51, O_CLOEXEC);
	tell("dup3(%F, 51, O_CLOEXEC) = %F", fd, path, 51, path);
	CALL(close, 50);
	tell("close(%F) = 0", 50, path);
	CALL(close, 50);
	tell("close(50) = -EBADF (Bad file descriptor)");
	CALL(newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW);
	tell("newfstatat(AT_FDCWD, %P, %x, AT_SYMLINK_NOFOLLOW) = 0", path, &st);
	CALL(faccessat, AT_FDCWD, missing, R_OK | W_OK);
	tell("faccessat(AT_FDCWD, %P, R_OK|W_OK) = -ENOENT (No such file or directory)", missing);
	/* Longer than the part of a text that newer kernels record. */
	memset(longer, 'x', 150);
	longer[0] = '/';
	CALL(openat, AT_FDCWD, longer, O_RDONLY, 0);
	tell("openat(AT_FDCWD, %P, O_RDONLY, 0) = -ENOENT (No such file or directory)", longer);
	CALL(mkdirat, AT_FDCWD, dir, 0755);
	tell("mkdirat(AT_FDCWD, %T, 0755) = 0", dir);
	CALL(renameat2, AT_FDCWD, dir, AT_FDCWD, other, 1);
	tell("renameat2(AT_FDCWD, %T, AT_FDCWD, %T, RENAME_NOREPLACE) = 0", dir, other);
	CALL(unlinkat, AT_FDCWD, other, AT_REMOVEDIR);
	tell("unlinkat(AT_FDCWD, %T, AT_REMOVEDIR) = 0", other);
	CALL(close, 51);
	tell("close(%F) = 0", 51, path);
}

static void use_memory(void)
{
	void *at = (void *)CALL(mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);

	tell("mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = %x", at);
	CALL(mprotect, at, 4096, PROT_NONE);
	tell("mprotect(%x, 4096, PROT_NONE) = 0", at);
	CALL(madvise, at, 8192, MADV_DONTNEED);
	tell("madvise(%x, 8192, MADV_DONTNEED) = 0", at);
	CALL(munmap, at, 8192);
	tell("munmap(%x, 8192) = 0", at);
	CALL(mmap, 0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	tell("mmap(NULL, 0, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = "
	     "-EINVAL (Invalid argument)");
}

static void use_others(void)
{
	static int ends[2], word;
	static struct epoll_event event = { .events = EPOLLIN };
	static struct timespec now;
	static uint64_t mask;
	int fd = (int)CALL(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), poll;

	tell("socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = %F", fd, "socket");
	CALL(shutdown, fd, 77);
	tell("shutdown(%F, 0x4d) = -EINVAL (Invalid argument)", fd, "socket");
	CALL(shutdown, -1, SHUT_WR);
	tell("shutdown(-1, SHUT_WR) = -EBADF (Bad file descriptor)");
	poll = (int)CALL(epoll_create1, EPOLL_CLOEXEC);
	tell("epoll_create1(EPOLL_CLOEXEC) = %F", poll, "eventpoll");
	CALL(pipe2, ends, O_NONBLOCK);
	tell("pipe2(%x, O_NONBLOCK) = 0", ends);
	CALL(epoll_ctl, poll, EPOLL_CTL_ADD, ends[0], &event);
	tell("epoll_ctl(%F, EPOLL_CTL_ADD, %d, %x) = 0", poll, "eventpoll", ends[0], &event);
	CALL(read, ends[0], &word, 4);
	tell("read(%d, %x, 4) = -EAGAIN (Resource temporarily unavailable)", ends[0], &word);
	CALL(futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0, 0);
	tell("futex(%x, FUTEX_WAKE|FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0) = 0", &word);
	CALL(clock_gettime, CLOCK_MONOTONIC, &now);
	tell("clock_gettime(CLOCK_MONOTONIC, %x) = 0", &now);
	CALL(rt_sigprocmask, SIG_BLOCK, 0, &mask, 8);
	tell("rt_sigprocmask(SIG_BLOCK, NULL, %x, 8) = 0", &mask);
	CALL(kill, getpid(), 0);
	tell("kill(%d, 0) = 0", getpid());
	CALL(kill, -1000003, SIGTERM);
	tell("kill(-1000003, SIGTERM) = -ESRCH (No such process)");
}

/* A child that closes a file of its parent, and exits. */
static void use_child(const char *path)
{
	static int status;
	int fd = (int)CALL(openat, AT_FDCWD, path, O_RDONLY, 0);
	pid_t child;

	tell("openat(AT_FDCWD, %P, O_RDONLY, 0) = %F", path, fd, path);
	child = fork();
	if (child == 0) {
		CALL(close, fd);
		tell("close(%F) = 0", fd, path);
		tell("exit_group(7) = ? <the task ended>");
		_exit(7);
	}
	CALL(wait4, child, &status, 0, 0);
	tell("wait4(%d, %x, 0, NULL) = %d", (int)child, &status, (int)child);
	CALL(close, fd);
	tell("close(%F) = 0", fd, path);
}

int main(int argc, char **argv)
{
	static char path[256], dir[256], other[256];

	story = mmap(NULL, sizeof(*story), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (argc != 2 || strlen(argv[1]) > 40 || story == MAP_FAILED) {
		fprintf(stderr, "usage: syscall-story DIRECTORY (of at most 40 bytes)\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/file", argv[1]);
	snprintf(dir, sizeof(dir), "%s/dir", argv[1]);
	snprintf(other, sizeof(other), "%s/other", argv[1]);
	CALL(getsid, 1000001);
	tell("getsid(1000001) = -ESRCH (No such process)");
	use_files(path, dir, other);
	use_memory();
	use_others();
	use_child(path);
	CALL(getsid, 1000002);
	tell("getsid(1000002) = -ESRCH (No such process)");
	for (int i = 0; i < story->n; i++)
		printf("%d\t%s\t%s\t%s\n", story->pid[i], story->lines[i][0], story->lines[i][1],
		       story->lines[i][2]);
	return 0;
}
