/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/files/caller.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"

#define LINKS_MAX 40 /* MAXSYMLINKS of the kernel */
#define ADVICE	  "remove it, or choose another directory"
#define WHERE_MAX 48

static bool place_is_ours(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static bool place_is_private(const struct stat *dir)
{
	return place_is_ours(dir->st_uid) && !(dir->st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns why the directory is not private, for messages. */
static const char *describe_dir(const struct stat *dir, char where[static WHERE_MAX])
{
	if (place_is_ours(dir->st_uid))
		return "a directory that others can write to";
	snprintf(where, WHERE_MAX, "a directory of user %u", dir->st_uid);
	return where;
}

static bool may_follow(const struct stat *dir, const struct stat *link)
{
	return place_is_private(dir) || (place_is_ours(dir->st_uid) && dir->st_mode & S_ISVTX &&
					 place_is_ours(link->st_uid));
}

static bool may_replace(const struct stat *dir, const struct stat *file)
{
	struct user user;

	if (place_is_private(dir))
		return true;
	if (file->st_nlink > 1)
		return false;
	return place_is_ours(file->st_uid) || file->st_uid == dir->st_uid ||
	       (caller_find(&user) == 1 && file->st_uid == user.uid);
}

/* A path that is being resolved to a directory and a name. */
struct walk {
	const char *path; /* for messages */
	int dir; /* the directory so far */
	char *rest, *at; /* the rest of the path starts at @at */
	unsigned links;
	bool make; /* create missing directories */
	bool is_new; /* do not look up the last component */
};

static void walk_done(struct walk *walk)
{
	if (walk->dir >= 0)
		close(walk->dir);
	free(walk->rest);
}

static int walk_failed(const struct walk *walk, int r, struct fathom_err *err)
{
	return err_set_errno(err, r, "cannot write '%s'", walk->path);
}

/* Continues in @dir, taking ownership. */
static void walk_enter(struct walk *walk, int dir, char *at)
{
	if (walk->dir >= 0)
		close(walk->dir);
	walk->dir = dir;
	walk->at = at;
}

/* Continues with @path, to be freed, from the root or the current directory. */
static int walk_begin(struct walk *walk, char *path, struct fathom_err *err)
{
	int dir = -1;

	if (!path)
		return err_nomem(err);
	free(walk->rest);
	walk->rest = walk->at = path;
	if (walk->dir >= 0 && path[0] != '/')
		return 0;
	dir = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return walk_failed(walk, negative_errno(), err);
	walk_enter(walk, dir, path);
	return 0;
}

/* The text of magic links in /proc need not be where they lead. */
static bool is_proc(int dir)
{
	struct statfs fs;

	return fstatfs(dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* @fd is the link @name; @after is NULL for the last component. */
static int walk_follow(struct walk *walk, int fd, const char *name, char *after,
		       struct fathom_err *err)
{
	char target[PATH_MAX], where[WHERE_MAX];
	struct stat dir, link;
	int next;
	ssize_t n;

	if (fstat(walk->dir, &dir) < 0 || fstat(fd, &link) < 0)
		return walk_failed(walk, negative_errno(), err);
	if (!may_follow(&dir, &link))
		return err_set(
			err, -EEXIST,
			"cannot write '%s': '%s' is a symbolic link of user %u in %s; remove it, "
			"or give the path of its target",
			walk->path, name, link.st_uid, describe_dir(&dir, where));
	if (++walk->links > LINKS_MAX)
		return walk_failed(walk, -ELOOP, err);
	next = after && is_proc(walk->dir) ?
		       openat(walk->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC) :
		       -1;
	if (next >= 0) {
		walk_enter(walk, next, after);
		return 0;
	}
	n = readlinkat(fd, "", target, sizeof(target));
	if (n <= 0 || n == (ssize_t)sizeof(target))
		return walk_failed(walk, n < 0 ? negative_errno() : -ENAMETOOLONG, err);
	return walk_begin(
		walk, mem_printf("%.*s%s%s", (int)n, target, after ? "/" : "", after ?: ""), err);
}

static int walk_dir(struct walk *walk, const char *name)
{
	struct stat st;
	int fd = openat(walk->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno != ENOENT || !walk->make)
		return negative_errno();
	if (fstat(walk->dir, &st) < 0)
		return negative_errno();
	if (!place_is_ours(st.st_uid))
		return -EPERM;
	if (mkdirat(walk->dir, name, 0700) < 0 && errno != EEXIST)
		return negative_errno();
	fd = openat(walk->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? negative_errno() : fd;
}

/*
 * Returns 1 after a component, or 0 if *@ret_name is the last one and not a link; "" for a
 * directory.
 */
static int walk_step(struct walk *walk, bool to_dir, const char **ret_name, struct fathom_err *err)
{
	char *name = walk->at + strspn(walk->at, "/"), *end = strchrnul(name, '/');
	char *after = *end || to_dir ? end + (*end != '\0') : NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;

	*ret_name = name;
	if (!*name)
		return 0;
	if (walk->is_new && !end[strspn(end, "/")])
		after = NULL;
	*end = '\0';
	if (!after && walk->is_new)
		return 0;
	if (after) {
		fd = walk_dir(walk, name);
		if (fd >= 0) {
			walk_enter(walk, TAKE_FD(fd), after);
			return 1;
		}
		if (fd != -ENOTDIR && fd != -ELOOP)
			return walk_failed(walk, fd, err);
	}
	fd = openat(walk->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && !after)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return walk_failed(walk, negative_errno(), err);
	if (S_ISLNK(st.st_mode)) {
		int r = walk_follow(walk, fd, name, after, err);

		return r < 0 ? r : 1;
	}
	return after ? walk_failed(walk, -ENOTDIR, err) : 0;
}

static int walk_path(struct walk *walk, bool to_dir, const char **ret_name, struct fathom_err *err)
{
	int r = walk_begin(walk, mem_strdup(walk->path), err);

	if (r == 0 && !*walk->path)
		return walk_failed(walk, -ENOENT, err);
	while (r == 0) {
		r = walk_step(walk, to_dir, ret_name, err);
		if (r <= 0)
			return r;
		r = 0;
	}
	return r;
}

static int refuse_kind(const char *path, mode_t mode, struct fathom_err *err)
{
	return err_set(err, S_ISDIR(mode) ? -EISDIR : -EINVAL,
		       "cannot write '%s': %s; use the path of a regular file", path,
		       S_ISDIR(mode) ? "is a directory" : "not a regular file");
}

static int files_place_find(struct walk *walk, struct place *ret_place, struct fathom_err *err)
{
	const char *name = "";
	struct stat st;
	char *copy;
	int r = walk_path(walk, false, &name, err);

	if (r < 0)
		return r;
	if (!*name || str_eq(name, ".") || str_eq(name, ".."))
		return refuse_kind(walk->path, S_IFDIR, err);
	if (fstat(walk->dir, &st) < 0)
		return walk_failed(walk, negative_errno(), err);
	copy = mem_strdup(name);
	if (!copy)
		return err_nomem(err);
	*ret_place = (struct place){ TAKE_FD(walk->dir), copy, place_is_private(&st) };
	return 0;
}

int place_find(const char *path, struct place *ret_place, struct fathom_err *err)
{
	_cleanup_(walk_done) struct walk walk = { .path = path, .dir = -1 };
	struct stat st;

	/* Only for the message: pipes and the like have no location that could be resolved. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return refuse_kind(path, st.st_mode, err);
	return files_place_find(&walk, ret_place, err);
}

int place_find_new(const char *path, struct place *ret_place, struct fathom_err *err)
{
	_cleanup_(walk_done) struct walk walk = { .path = path, .dir = -1, .is_new = true };

	return files_place_find(&walk, ret_place, err);
}

void place_done(struct place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	free(place->name);
	*place = (struct place)PLACE_NONE;
}

static int place_check_file(const struct stat *dir, const struct stat *file, const char *path,
			    struct fathom_err *err)
{
	char where[WHERE_MAX];

	if (S_ISLNK(file->st_mode))
		return err_set(err, -EEXIST, "'%s' has become a symbolic link; " ADVICE, path);
	if (!S_ISREG(file->st_mode))
		return refuse_kind(path, file->st_mode, err);
	if (may_replace(dir, file))
		return 0;
	if (file->st_nlink > 1)
		return err_set(
			err, -EEXIST,
			"cannot write '%s': a file of user %u with %lu hard links in %s; " ADVICE,
			path, file->st_uid, (unsigned long)file->st_nlink,
			describe_dir(dir, where));
	return err_set(err, -EEXIST, "cannot write '%s': a file of user %u in %s; " ADVICE, path,
		       file->st_uid, describe_dir(dir, where));
}

int place_look(const struct place *place, const char *path, struct stat *ret_st,
	       struct fathom_err *err)
{
	struct stat dir;
	int r;

	if (fstat(place->dir, &dir) < 0)
		return err_set_errno(err, negative_errno(), "cannot access '%s'", path);
	if (fstatat(place->dir, place->name, ret_st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ?
			       0 :
			       err_set_errno(err, negative_errno(), "cannot access '%s'", path);
	r = place_check_file(&dir, ret_st, path, err);
	return r < 0 ? r : 1;
}

int place_open(const char *path, int flags, struct fathom_err *err)
{
	_cleanup_place_ struct place place = PLACE_NONE;
	_cleanup_close_ int fd = -1;
	struct stat dir, st;
	int r = place_find(path, &place, err);

	if (r < 0)
		return r;
	fd = openat(place.dir, place.name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(err, negative_errno(), "cannot open '%s'", path);
	if (fstat(place.dir, &dir) < 0 || fstat(fd, &st) < 0)
		return err_set_errno(err, negative_errno(), "cannot access '%s'", path);
	r = place_check_file(&dir, &st, path, err);
	return r < 0 ? r : TAKE_FD(fd);
}

int place_open_dir(const char *path, unsigned flags)
{
	_cleanup_(walk_done) struct walk walk = { .path = path,
						  .dir = -1,
						  .make = flags & PLACE_DIR_MAKE };
	const char *name;
	struct stat st;
	int fd, r = walk_path(&walk, true, &name, NULL);

	if (r < 0)
		return r;
	if (fstat(walk.dir, &st) < 0)
		return negative_errno();
	if (st.st_uid != geteuid() || !place_is_private(&st))
		return -EPERM;
	fd = openat(walk.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? negative_errno() : fd;
}
