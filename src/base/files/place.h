/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a file is to be written: an open directory and a name in it. The path is resolved once, one
 * component at a time, so that nothing can be swapped between check and use.
 *
 * A directory is private if it belongs to root or this user and nobody else can write to it. In
 * other directories anyone could have created what we find:
 *
 * - a symbolic link is not followed, except in a sticky directory of root or this user if one of them owns
 *   the link, as with fs.protected_symlinks;
 * - a file is not replaced or written to if it has more than one link, or belongs to anyone but this user,
 *   root, the directory's owner and the caller of sudo, as with fs.protected_regular and
 *   fs.protected_hardlinks.
 *
 * This does not depend on the sysctls. Functions return a negative errno on failure.
 */
#ifndef FATHOM_BASE_FILES_PLACE_H
#define FATHOM_BASE_FILES_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include <fathom/err.h>

struct place {
	int dir; /* opened with O_PATH */
	char *name; /* has no slash */
	bool is_private;
};

#define PLACE_NONE        \
	{                 \
		.dir = -1 \
	}

/*
 * Resolves @path. The last component need not exist; it must not be a directory. Release with
 * place_done().
 */
int place_find(const char *path, struct place *ret_place, struct fathom_err *err);
/* The same for a name to create or remove: the last component is not looked up. */
int place_find_new(const char *path, struct place *ret_place, struct fathom_err *err);
void place_done(struct place *place);
#define _cleanup_place_ __attribute__((cleanup(place_done)))

/*
 * Looks up the name. Returns 1 for a regular file that may be replaced, 0 if it does not exist,
 * -EEXIST for another user's file or link, or another negative errno. @path is used in messages.
 */
int place_look(const struct place *place, const char *path, struct stat *ret_st,
	       struct fathom_err *err);

/* Opens a regular file for writing, with @flags. Returns a descriptor or a negative errno. */
int place_open(const char *path, int flags, struct fathom_err *err);

enum place_dir_flags {
	PLACE_DIR_MAKE = 1, /* create missing directories, private to us */
};

/*
 * Opens the directory @path, which must be our own and private. With PLACE_DIR_MAKE, creates
 * missing directories, but not in another user's directory. Returns a descriptor, -EPERM if the
 * directory is not private, or another negative errno.
 */
int place_open_dir(const char *path, unsigned flags);

#endif
