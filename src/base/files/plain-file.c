/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/plain-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"
#include "base/str.h"

const char *plain_file_in_process(const char *path)
{
	const char *pid = str_after(path, "/proc/");
	size_t digits = pid ? strspn(pid, "0123456789") : 0;

	return digits ? str_after(pid + digits, "/root/") : NULL;
}

/*
 * The kernel follows absolute links from the root of the caller, even below the root of another
 * process.
 */
static int plain_file_find_in_process(const char *path, const char *inside, int flags)
{
	struct open_how how = { .flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
				.resolve = RESOLVE_IN_ROOT };
	_cleanup_close_ int root = -1;
	char name[PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "%.*s", (int)(inside - path), path);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return negative_errno();
	fd = (int)syscall(SYS_openat2, root, inside, &how, sizeof(how));
	return fd < 0 ? negative_errno() : fd;
}

static int files_plain_file_find(const char *path, int flags)
{
	const char *inside = plain_file_in_process(path);
	int fd;

	if (inside)
		return plain_file_find_in_process(path, inside, flags);
	fd = open(path, O_PATH | O_CLOEXEC | flags);
	return fd < 0 ? negative_errno() : fd;
}

int plain_file_find(const char *path, int flags, struct stat *ret_st)
{
	_cleanup_close_ int place = files_plain_file_find(path, flags);

	if (place < 0)
		return place;
	if (fstat(place, ret_st) < 0)
		return negative_errno();
	if (S_ISLNK(ret_st->st_mode))
		return -ELOOP;
	if (S_ISDIR(ret_st->st_mode))
		return -EISDIR;
	if (!S_ISREG(ret_st->st_mode))
		return -ESPIPE;
	return TAKE_FD(place);
}

int plain_file_open_at(int place)
{
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	/* Opening a file with a lease blocks. */
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? negative_errno() : fd;
}

int plain_file_open(const char *path, struct fathom_err *err)
{
	struct stat st;
	_cleanup_close_ int place = plain_file_find(path, 0, &st);
	int fd = place < 0 ? place : plain_file_open_at(place);

	/* Without /proc, use the name. */
	if (fd == -ENOENT && place >= 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		fd = fd < 0 ? negative_errno() : fd;
	}
	if (fd == -EISDIR)
		return err_set(err, fd, "cannot read '%s': is a directory", path);
	if (fd == -ESPIPE)
		return err_set(err, fd, "cannot read '%s': not a regular file", path);
	return fd < 0 ? err_set_errno(err, fd, "cannot open '%s'", path) : fd;
}
