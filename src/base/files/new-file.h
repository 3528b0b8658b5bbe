/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that replaces another one atomically: an existing file with its name stays until
 * new_file_commit(). If the file system has O_TMPFILE, the new file has no name until then, and
 * nothing is left if the program dies.
 *
 * The file is private unless a mode is given, and belongs to the caller of sudo, if any; it
 * inherits neither owner nor mode of the file that it replaces. It stays in one directory, which is
 * kept open; see base/files/place.h for links and files that are refused there. Not thread-safe.
 */
#ifndef FATHOM_BASE_FILES_NEW_FILE_H
#define FATHOM_BASE_FILES_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/files/place.h"

enum new_file_flags {
	NEW_FILE_NAMED = 1, /* name the file at once, as on file systems without O_TMPFILE */
	NEW_FILE_QUICK = 2, /* don't sync before replacing another file */
	NEW_FILE_EARLY = 4, /* may get its final name before it is complete, if that is free */
	NEW_FILE_OURS = 8, /* don't give the file to the caller of sudo */
};

/* Private to its owner. */
#define NEW_FILE_MODE 0600

struct new_file {
	int fd; /* open for reading and writing; -1: none */
	char *path; /* path given by the user */
	struct place place; /* its final name */
	char *temp; /* current name, in the same directory; NULL: unnamed */
	mode_t mode;
	unsigned flags;
	bool replaces; /* a file of that name existed */
	bool named; /* has its final name, and keeps it only after a commit */
};

/*
 * Creates an empty file that will be named @path, with @mode, or NEW_FILE_MODE if that is 0.
 * Refuses to replace anything but a regular file. Returns 0 or a negative errno; then there is
 * nothing to release.
 */
int new_file_open(struct new_file *file, const char *path, unsigned flags, mode_t mode,
		  struct fathom_err *err);
/* The same for a file that replaces @old, which was committed and not yet released. */
int new_file_open_over(struct new_file *file, const struct new_file *old, struct fathom_err *err);
/* Names the file before the commit, unless the name is taken. */
int new_file_name(struct new_file *file, struct fathom_err *err);
/*
 * Names the file. A file that replaces another one is synced to the disk first, unless
 * NEW_FILE_QUICK is set.
 */
int new_file_commit(struct new_file *file, struct fathom_err *err);
/* Closes the file, and removes it if it was not committed. */
void new_file_done(struct new_file *file);

/* Changes the owner of the open file to the caller of sudo, then sets its mode. */
void new_file_give(int fd, mode_t mode);

#define _cleanup_new_file_ __attribute__((cleanup(new_file_done)))
/* The initial value of a variable with _cleanup_new_file_. */
#define NEW_FILE_NONE                         \
	{                                     \
		.fd = -1, .place = PLACE_NONE \
	}

#endif
