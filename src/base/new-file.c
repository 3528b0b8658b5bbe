/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/new-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"

#define NAMES_TRIED 1000
#define TARGET_MAX  4096

static void fd_link(int fd, char *link, size_t size)
{
	snprintf(link, size, "/proc/self/fd/%d", fd);
}

/* The path of the open file @fd without links, or @path when that cannot be found out. */
static char *real_path(int fd, const char *path)
{
	char link[64], target[TARGET_MAX];
	ssize_t n;

	fd_link(fd, link, sizeof(link));
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0 || target[0] != '/' || (size_t)n >= sizeof(target) - 1)
		return mem_strdup(path);
	target[n] = '\0';
	return mem_strdup(target);
}

/* Finds out what is there now: its path goes to @file, its mode and owner to *@ret_old. */
static int look(struct new_file *file, const char *path, struct stat *ret_old,
		struct fathom_err *err)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0 && errno != ENOENT)
		return err_set_errno(err, -errno, "cannot write '%s'", path);
	if (fd >= 0 && fstat(fd, ret_old) < 0)
		return err_set_errno(err, -errno, "cannot look at '%s'", path);
	if (fd >= 0 && !S_ISREG(ret_old->st_mode))
		return err_set(err, S_ISDIR(ret_old->st_mode) ? -EISDIR : -EINVAL,
			       "'%s' is %s; name a plain file to write to", path,
			       S_ISDIR(ret_old->st_mode) ? "a directory" : "no plain file");
	file->replaces = fd >= 0;
	file->path = file->replaces ? real_path(fd, path) : mem_strdup(path);
	return file->path ? 0 : err_nomem(err);
}

static int open_unnamed(const char *path, int *ret_fd)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *dir = slash ? mem_strndup(path, (size_t)(slash - path) + 1) :
					   mem_strdup(".");

	if (!dir)
		return -ENOMEM;
	/* Without it the file could not be given a name later. */
	if (access("/proc/self/fd", F_OK) < 0)
		return -errno;
	*ret_fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	return *ret_fd < 0 ? -errno : 0;
}

/* Calls @make with one name beside @path after the other, until one is free. */
static int find_name(struct new_file *file, int (*make)(struct new_file *file, const char *name))
{
	int r = -EEXIST;

	for (unsigned i = 0; i < NAMES_TRIED && r == -EEXIST; i++) {
		_cleanup_free_ char *name = mem_printf("%s.%d-%u.tmp", file->path, getpid(), i);

		if (!name)
			return -ENOMEM;
		r = make(file, name);
		if (r == 0)
			file->temp = TAKE_PTR(name);
	}
	return r;
}

static int make_named(struct new_file *file, const char *name)
{
	file->fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return file->fd < 0 ? -errno : 0;
}

static int make_link(struct new_file *file, const char *name)
{
	char link[64];

	fd_link(file->fd, link, sizeof(link));
	return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

int new_file_open(struct new_file *file, const char *path, unsigned flags, struct fathom_err *err)
{
	_cleanup_new_file_ struct new_file new = NEW_FILE_NONE;
	struct stat old = { 0 };
	int r = look(&new, path, &old, err);

	if (r < 0)
		return r;
	r = flags & NEW_FILE_NAMED ? -EOPNOTSUPP : open_unnamed(new.path, &new.fd);
	if (r < 0 && r != -ENOMEM)
		r = find_name(&new, make_named);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set_errno(err, r, "cannot write '%s'", path);
	/* As far as we may: the new one is whose the old one was, and for the same eyes. */
	if (new.replaces && fchown(new.fd, old.st_uid, old.st_gid) == 0)
		(void)!fchmod(new.fd, old.st_mode & 07777);
	new.quick = flags &NEW_FILE_QUICK;
	*file = new;
	new = (struct new_file)NEW_FILE_NONE;
	return 0;
}

int new_file_commit(struct new_file *file, struct fathom_err *err)
{
	int r = 0;

	if (file->replaces && !file->quick && fdatasync(file->fd) < 0)
		return err_set_errno(err, -errno, "cannot write '%s'", file->path);
	if (!file->temp && !file->replaces) {
		r = make_link(file, file->path);
		if (r == 0)
			return 0;
		/* Somebody was faster; what is there now is replaced. */
	}
	if (!file->temp)
		r = find_name(file, make_link);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == 0 && rename(file->temp, file->path) < 0)
		r = -errno;
	if (r < 0)
		return err_set_errno(err, r, "cannot give '%s' its name", file->path);
	free(TAKE_PTR(file->temp));
	return 0;
}

void new_file_done(struct new_file *file)
{
	if (file->temp)
		unlink(file->temp);
	if (file->fd >= 0)
		close(file->fd);
	free(file->temp);
	free(file->path);
	*file = (struct new_file)NEW_FILE_NONE;
}
