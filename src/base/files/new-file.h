/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that takes the place of another one when it is whole, and not before: what was
 * there under its name stays until new_file_commit(). Where the file system can, the new
 * file has no name until then, and nothing of it is left when the program dies.
 *
 * It is for its owner's eyes alone unless a mode is given, belongs to the caller of sudo where there
 * is one, and takes neither owner nor mode from the file that it replaces. All is done in one
 * directory, which is held open; base/files/place.h says what is not followed and not replaced there.
 */
#ifndef FATHOM_BASE_FILES_NEW_FILE_H
#define FATHOM_BASE_FILES_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/files/place.h"

enum new_file_flags {
	NEW_FILE_NAMED = 1, /* give it a name at once, as where the file system can't do without */
	NEW_FILE_QUICK = 2, /* do not wait for the disk before it replaces another */
	NEW_FILE_EARLY = 4, /* it may have its own name before it is whole, where that is free */
	NEW_FILE_OURS = 8, /* it does not go to the caller of sudo */
};

/* For its owner alone. */
#define NEW_FILE_MODE 0600

struct new_file {
	int fd; /* open for reading and writing; -1 when there is none */
	char *path; /* what the user calls it */
	struct place place; /* what it will be called */
	char *temp; /* what it is called now, in the same directory; NULL: it has no such name */
	mode_t mode;
	unsigned flags;
	bool replaces; /* there was a file of that name */
	bool named; /* it has its name, and loses it without a commit */
};

/*
 * Makes an empty file that will be called @path, with @mode, 0 for NEW_FILE_MODE. Something else
 * there than a regular file is refused. After a failure nothing is left to release.
 */
int new_file_open(struct new_file *file, const char *path, unsigned flags, mode_t mode,
		  struct fathom_err *err);
/* The same for a file that takes the place of @old, which is committed, and is still there. */
int new_file_open_over(struct new_file *file, const struct new_file *old, struct fathom_err *err);
/* Gives it its name before the commit, if nothing else has that name. */
int new_file_name(struct new_file *file, struct fathom_err *err);
/* Gives it its name. What replaces another file is on the disk before, unless NEW_FILE_QUICK. */
int new_file_commit(struct new_file *file, struct fathom_err *err);
/* Without a commit before it, the file is gone. */
void new_file_done(struct new_file *file);

/* Gives what @fd is to the caller of sudo, and then sets its mode. */
void new_file_give(int fd, mode_t mode);

#define _cleanup_new_file_ __attribute__((cleanup(new_file_done)))
/* What a variable with _cleanup_new_file_ starts as. */
#define NEW_FILE_NONE                         \
	{                                     \
		.fd = -1, .place = PLACE_NONE \
	}

#endif
