/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/plain-file.h"
#include "base/str.h"

/* Accepts digits only; returns false if it is not a user or group ID. */
static bool caller_read_id(const char *text, unsigned *ret_id)
{
	unsigned long id;

	if (!text || !*text || text[strspn(text, "0123456789")])
		return false;
	errno = 0;
	id = strtoul(text, NULL, 10);
	/* The largest ID means "none" in system calls. */
	if (errno || id >= UINT_MAX)
		return false;
	*ret_id = (unsigned)id;
	return true;
}

int caller_find(struct user *ret_user)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	const char *name = getenv("SUDO_USER");
	struct user user;
	unsigned uid, gid;

	if (geteuid() != 0 || (!uid_text && !gid_text && !name))
		return 0;
	if (!caller_read_id(uid_text, &uid) || !caller_read_id(gid_text, &gid) || !name ||
	    user_find_uid(uid, &user) < 0 || user.gid != gid || !str_eq(user.name, name))
		return -EINVAL;
	if (uid == 0)
		return 0;
	*ret_user = user;
	return 1;
}

/*
 * Many systems give each user a group of the same name, and umask 002 lets it write the user's
 * files.
 */
static bool is_own_group(const struct user *user, gid_t gid)
{
	const struct group *group = gid == user->gid ? getgrgid(gid) : NULL;

	return group && str_eq(group->gr_name, user->name) && !group->gr_mem[0];
}

bool caller_trusts(const struct stat *st)
{
	struct user user;
	int r;

	if (geteuid() != 0)
		return true;
	r = caller_find(&user);
	if (st->st_uid != 0 && (r != 1 || st->st_uid != user.uid))
		return false;
	if (st->st_mode & S_IWOTH)
		return false;
	return !(st->st_mode & S_IWGRP) || st->st_gid == 0 ||
	       (r == 1 && is_own_group(&user, st->st_gid));
}

/* Of an open file, after following all links. */
static bool trusts_directory(int fd)
{
	char link[64], path[PATH_MAX], *slash;
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	slash[slash == path] = '\0';
	return stat(path, &st) == 0 && caller_trusts(&st);
}

int caller_open(const char *path)
{
	struct stat st;
	_cleanup_close_ int place = plain_file_find(path, 0, &st);
	int fd;

	if (place == -EISDIR || place == -ESPIPE)
		return -EINVAL;
	if (place < 0)
		return place;
	if (geteuid() == 0 && (!caller_trusts(&st) || !trusts_directory(place)))
		return -EPERM;
	fd = plain_file_open_at(place);
	/* Must not be reported as a lack of trust. */
	return fd == -EPERM ? -EACCES : fd;
}
