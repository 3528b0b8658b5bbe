/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into fathom, acts like code that a malicious file has injected: at the first byte read
 * from a file, at the first one written and at exit, it tries to escape from the sandbox, and
 * prints the result of each attempt to stderr: "PLACE TRY ok" or "PLACE TRY ERRNO". All calls
 * bypass the C library, as those of such code would.
 */
/* The fortified forms of read() and pread() are inline functions, which would interfere. */
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum place {
	PLACE_READ,
	PLACE_WRITE,
	PLACE_END
};

static const char *const places[] = { "read", "write", "end" };

static void tell(enum place place, const char *what, long result)
{
	const char *name = result >= 0 ? "ok" : strerrorname_np(errno);
	char line[80];
	int n = snprintf(line, sizeof(line), "%s %s %s\n", places[place], what, name ? name : "?");

	syscall(SYS_write, STDERR_FILENO, line, n);
}

static void tell_open(enum place place, const char *path, int flags, const char *what)
{
	long fd = syscall(SYS_openat, AT_FDCWD, path, flags, 0600);

	tell(place, what, fd);
	if (fd >= 0)
		syscall(SYS_close, fd);
}

static void try_all(enum place place)
{
	char *const argv[] = { (char *)"true", NULL };
	char *const envp[] = { NULL };
	long r;

	tell_open(place, "/etc/passwd", O_RDONLY, "open");
	tell_open(place, ".", O_WRONLY | O_TMPFILE, "create");
	tell(place, "socket", syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	tell(place, "kill", syscall(SYS_kill, getppid(), 0));
	tell(place, "setuid", syscall(SYS_setuid, 0));
	r = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (r == 0)
		syscall(SYS_exit_group, 0);
	tell(place, "fork", r);
	/* Last, because it does not return if it is permitted: "done" is then missing. */
	tell(place, "exec", syscall(SYS_execve, "/bin/true", argv, envp));
	tell(place, "done", 0);
}

static void try_once(enum place place)
{
	static bool tried[sizeof(places) / sizeof(places[0])];

	if (!tried[place]) {
		tried[place] = true;
		try_all(place);
	}
}

/* Files are mapped, or read with pread() if they cannot be mapped. */
EXPORT void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	if (fd >= 0)
		try_once(PLACE_READ);
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

EXPORT ssize_t pread64(int fd, void *buf, size_t count, off64_t offset)
{
	try_once(PLACE_READ);
	return syscall(SYS_pread64, fd, buf, count, offset);
}

EXPORT ssize_t write(int fd, const void *buf, size_t count)
{
	try_once(PLACE_WRITE);
	return syscall(SYS_write, fd, buf, count);
}

EXPORT ssize_t pwrite64(int fd, const void *buf, size_t count, off64_t offset)
{
	try_once(PLACE_WRITE);
	return syscall(SYS_pwrite64, fd, buf, count, offset);
}

static void __attribute__((destructor)) at_end(void)
{
	try_once(PLACE_END);
}
