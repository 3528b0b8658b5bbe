/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a file is to be written: a directory that is held open, and a name in it. The path is
 * resolved once, one component at a time, so that nothing can be exchanged between the check and
 * the use.
 *
 * A directory is private when it belongs to root or to us and nobody else may write to it. In any
 * other one somebody else may have put what we find there:
 *
 * - a symbolic link is not followed. In a sticky directory of root or of us, it is when root or we
 *   own the link, as with fs.protected_symlinks;
 * - a file is not replaced or written to when it has more than one link, or belongs to someone other
 *   than us, root, the directory's owner and the caller of sudo, as with fs.protected_regular and
 *   fs.protected_hardlinks.
 *
 * This holds whatever the sysctls say.
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

/* Resolves @path, whose last component need not exist. A directory is refused. */
int place_find(const char *path, struct place *ret_place, struct fathom_err *err);
/* The same for what is not there yet, or will be removed: the last component is taken as it is. */
int place_find_new(const char *path, struct place *ret_place, struct fathom_err *err);
void place_done(struct place *place);
#define _cleanup_place_ __attribute__((cleanup(place_done)))

/*
 * What has the name now? 1: a regular file that may be replaced; 0: nothing. @path is for messages.
 * -EEXIST: a file or a link of somebody else. Another negative errno.
 */
int place_look(const struct place *place, const char *path, struct stat *ret_st,
	       struct fathom_err *err);

/* Opens a regular file that may be written to, with @flags. A negative errno when it can't. */
int place_open(const char *path, int flags, struct fathom_err *err);

enum place_dir_flags {
	PLACE_DIR_MAKE = 1, /* make the directories that are missing, for us alone */
};

/*
 * Opens the directory @path, which has to belong to us and be private. With PLACE_DIR_MAKE nothing
 * is made in a directory of somebody else. -EPERM: it is not ours alone.
 */
int place_open_dir(const char *path, unsigned flags);

#endif
