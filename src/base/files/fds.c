/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/fds.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/negative-errno.h"

int fds_open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/*
		 * open() returns the lowest free number. Without O_CLOEXEC, because it is
		 * inherited.
		 */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return negative_errno();
	}
	return 0;
}

/* If a seccomp filter rejects close_range(): close what /proc lists. */
static void close_listed(int from)
{
	_cleanup_closedir_ DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd >= from && fd != dirfd(dir))
			close(fd);
	}
}

void fds_close_from(int from)
{
	if (syscall(SYS_close_range, from, ~0U, 0) < 0)
		close_listed(from);
}
