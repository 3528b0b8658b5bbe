/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/new-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/caller.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"

#define NAMES_TRIED 1000

static int open_unnamed(struct new_file *file)
{
	/* Without /proc, the file could not be linked later. */
	if (access("/proc/self/fd", F_OK) < 0)
		return negative_errno();
	file->fd = openat(file->place.dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, NEW_FILE_MODE);
	return file->fd < 0 ? negative_errno() : 0;
}

/* Calls @make with temporary names derived from the file's own, until one is free. */
static int new_file_find_name(struct new_file *file,
			      int (*new_file_make)(struct new_file *file, const char *name))
{
	int r = -EEXIST;

	for (unsigned i = 0; i < NAMES_TRIED && r == -EEXIST; i++) {
		_cleanup_free_ char *name =
			mem_printf("%s.%d-%u.tmp", file->place.name, getpid(), i);

		if (!name)
			return -ENOMEM;
		r = new_file_make(file, name);
		if (r == 0)
			file->temp = TAKE_PTR(name);
	}
	return r;
}

static int new_file_make_named(struct new_file *file, const char *name)
{
	file->fd =
		openat(file->place.dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
	return file->fd < 0 ? negative_errno() : 0;
}

static int make_link(struct new_file *file, const char *name)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, link, file->place.dir, name, AT_SYMLINK_FOLLOW) < 0 ?
		       negative_errno() :
		       0;
}

static int new_file_make_file(struct new_file *file)
{
	int r = file->flags & NEW_FILE_NAMED ? -EOPNOTSUPP : open_unnamed(file);

	if (r == 0)
		return 0;
	if (file->flags & NEW_FILE_EARLY && !file->replaces) {
		r = new_file_make_named(file, file->place.name);
		file->named = r == 0;
		if (r != -EEXIST)
			return r;
	}
	return new_file_find_name(file, new_file_make_named);
}

void new_file_give(int fd, mode_t mode)
{
	struct user user;

	/* Some file systems have no owners, or no modes. */
	if (caller_find(&user) == 1)
		(void)!fchown(fd, user.uid, user.gid);
	(void)!fchmod(fd, mode);
}

/* @file has its path, place, mode and flags. */
static int new_file_make(struct new_file *file, struct fathom_err *err)
{
	int r = new_file_make_file(file);

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set_errno(err, r, "cannot write '%s'", file->path);
	if (file->flags & NEW_FILE_OURS)
		(void)!fchmod(file->fd, file->mode);
	else
		new_file_give(file->fd, file->mode);
	return 0;
}

static void hand_over(struct new_file *from, struct new_file *to)
{
	*to = *from;
	*from = (struct new_file)NEW_FILE_NONE;
}

int new_file_open(struct new_file *file, const char *path, unsigned flags, mode_t mode,
		  struct fathom_err *err)
{
	_cleanup_new_file_ struct new_file new = NEW_FILE_NONE;
	struct stat st;
	int r = place_find(path, &new.place, err);

	if (r == 0)
		r = place_look(&new.place, path, &st, err);
	if (r < 0)
		return r;
	new.replaces = r > 0;
	new.flags = flags;
	new.mode = mode ?: NEW_FILE_MODE;
	new.path = mem_strdup(path);
	r = new.path ? new_file_make(&new, err) : err_nomem(err);
	if (r == 0)
		hand_over(&new, file);
	return r;
}

/* Returns whether @name refers to this file. */
static bool new_file_has_name(const struct new_file *file, const char *name)
{
	struct stat own, there;

	return fstat(file->fd, &own) == 0 &&
	       fstatat(file->place.dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

int new_file_open_over(struct new_file *file, const struct new_file *old, struct fathom_err *err)
{
	_cleanup_new_file_ struct new_file new = NEW_FILE_NONE;
	int r;

	if (!old->place.is_private && !new_file_has_name(old, old->place.name))
		return err_set(err, -EEXIST, "'%s' was replaced by another process", old->path);
	new.replaces = true;
	new.flags = old->flags & ~(unsigned)NEW_FILE_QUICK;
	new.mode = old->mode;
	new.path = mem_strdup(old->path);
	new.place.name = mem_strdup(old->place.name);
	new.place.is_private = old->place.is_private;
	new.place.dir = fcntl(old->place.dir, F_DUPFD_CLOEXEC, 3);
	if (!new.path || !new.place.name)
		return err_nomem(err);
	if (new.place.dir < 0)
		return err_set_errno(err, negative_errno(), "cannot write '%s'", old->path);
	r = new_file_make(&new, err);
	if (r == 0)
		hand_over(&new, file);
	return r;
}

int new_file_name(struct new_file *file, struct fathom_err *err)
{
	int r;

	if (file->named || file->temp || file->replaces)
		return 0;
	r = make_link(file, file->place.name);
	if (r < 0 && r != -EEXIST)
		return err_set_errno(err, r, "cannot give '%s' its name", file->path);
	file->named = r == 0;
	return 0;
}

/* Replaces the file that has the name now, which may be newer than the last check. */
static int new_file_replace(struct new_file *file, struct fathom_err *err)
{
	struct stat st;
	int r = place_look(&file->place, file->path, &st, err);

	if (r < 0)
		return r;
	r = file->temp ? 0 : new_file_find_name(file, make_link);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == 0 && renameat(file->place.dir, file->temp, file->place.dir, file->place.name) < 0)
		r = negative_errno();
	if (r < 0)
		return err_set_errno(err, r, "cannot give '%s' its name", file->path);
	free(TAKE_PTR(file->temp));
	/* Elsewhere, another file may have taken the temporary name. */
	if (!file->place.is_private && !new_file_has_name(file, file->place.name))
		return err_set(err, -EEXIST, "'%s' was replaced by another process", file->path);
	return 0;
}

int new_file_commit(struct new_file *file, struct fathom_err *err)
{
	int r;

	if (file->replaces && !(file->flags & NEW_FILE_QUICK) && fdatasync(file->fd) < 0)
		return err_set_errno(err, negative_errno(), "cannot write '%s'", file->path);
	r = new_file_name(file, err);
	if (r == 0 && !file->named)
		r = new_file_replace(file, err);
	if (r == 0)
		file->named = false;
	return r;
}

void new_file_done(struct new_file *file)
{
	if (file->temp)
		unlinkat(file->place.dir, file->temp, 0);
	if (file->named && new_file_has_name(file, file->place.name))
		unlinkat(file->place.dir, file->place.name, 0);
	if (file->fd >= 0)
		close(file->fd);
	place_done(&file->place);
	free(file->temp);
	free(file->path);
	*file = (struct new_file)NEW_FILE_NONE;
}
