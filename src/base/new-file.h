/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that takes the place of another one when it is whole, and not before: what was
 * there under its name stays until new_file_commit(). Where the file system can, the new
 * file has no name until then, and nothing of it is left when the program dies.
 */
#ifndef FATHOM_BASE_NEW_FILE_H
#define FATHOM_BASE_NEW_FILE_H

#include <stdbool.h>

#include <fathom/err.h>

enum new_file_flags {
	NEW_FILE_NAMED = 1, /* give it a name at once, as where the file system can't do without */
	NEW_FILE_QUICK = 2, /* do not wait for the disk before it replaces another */
};

struct new_file {
	int fd; /* open for reading and writing; -1 when there is none */
	char *path; /* what it will be called */
	char *temp; /* what it is called now; NULL: it has no name */
	bool replaces; /* there was a file of that name */
	bool quick;
};

/*
 * Makes an empty file that will be called @path; links are followed. Something else there than
 * a plain file is refused. After a failure nothing is left to release.
 */
int new_file_open(struct new_file *file, const char *path, unsigned flags, struct fathom_err *err);
/* Gives it its name. What replaces another file is on the disk before, unless NEW_FILE_QUICK. */
int new_file_commit(struct new_file *file, struct fathom_err *err);
/* Without a commit before it, the file is gone. */
void new_file_done(struct new_file *file);

#define _cleanup_new_file_ __attribute__((cleanup(new_file_done)))
/* What a variable with _cleanup_new_file_ starts as. */
#define NEW_FILE_NONE    \
	{                \
		.fd = -1 \
	}

#endif
